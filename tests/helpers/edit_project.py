"""A dbt project of 31 models over six sources, as parts that edits change.

A model is kept as its columns, inputs, conditions and groups. ``text`` writes the model in dbt's
usual style: a WITH query for each reference, then one SELECT.
"""

from dataclasses import dataclass, replace

RAW = """
    create table raw_customers(id integer, name varchar, email varchar, city varchar,
      signed_up date, deleted boolean);
    create table raw_orders(id integer, customer integer, placed date, status varchar,
      amount decimal(10, 2), store integer);
    create table raw_items(id integer, order_id integer, product integer, quantity integer,
      price decimal(10, 2));
    create table raw_products(id integer, name varchar, kind varchar, cost decimal(10, 2));
    create table raw_stores(id integer, name varchar, city varchar, opened date);
    create table raw_payments(id integer, order_id integer, method varchar, amount decimal(10, 2),
      failed boolean);"""
"""The DDL of the sources."""


@dataclass(frozen=True)
class Input:
    """One input of a model: a source or model, and how it is joined to the preceding inputs."""

    alias: str
    table: str
    kind: str = ""
    condition: str = ""


@dataclass(frozen=True)
class Model:
    """One model of the project."""

    name: str
    folder: str
    columns: tuple[tuple[str, str], ...]
    """The expression and the name of each column."""
    inputs: tuple[Input, ...]
    conditions: tuple[str, ...] = ()
    grouped: bool = False
    """Whether the columns before the first aggregate are the grouping keys."""
    distinct: bool = False
    comment: str = ""
    upper: bool = False
    narrow: bool = True
    """Whether each column is written on its own line."""

    @property
    def path(self) -> str:
        """The path of the model's file in the project."""
        return f"models/{self.folder}/{self.name}.sql"

    @property
    def reads(self) -> tuple[str, ...]:
        """The sources and models that the model reads."""
        return tuple(dict.fromkeys(each.table for each in self.inputs))

    def keys(self) -> list[str]:
        """Return the expressions of the grouping keys."""
        return [made for made, _ in self.columns if not is_aggregate(made)] if self.grouped else []

    def text(self) -> str:
        """Return the content of the model's file."""
        return self._written("{{{{ source('raw', '{}') }}}}", "{{{{ ref('{}') }}}}")

    def sql(self) -> str:
        """Return the model's SELECT, in which references are plain names."""
        return self._written("{}", "{}")

    def _written(self, source: str, ref: str) -> str:
        word = str.upper if self.upper else str
        imports = [
            f"{each.alias} {word('as')} (\n    {word('select')} * {word('from')} "
            f"{(source if each.table.startswith('raw_') else ref).format(each.table)}\n)"
            for each in self.inputs
        ]
        shown = [f"{made} {word('as')} {name}" for made, name in self.columns]
        separator = ",\n    " if self.narrow else ", "
        lines = [f"-- {self.comment}"] if self.comment else []
        lines += [f"{word('with')} {', '.join(imports)}"]
        lines += [word("select distinct" if self.distinct else "select")]
        lines += ["    " + separator.join(shown)]
        lines += [f"{word('from')} {self.inputs[0].alias}"]
        lines += [f"{word(e.kind)} {e.alias} {word('on')} {e.condition}" for e in self.inputs[1:]]
        if self.conditions:
            lines += [f"{word('where')} " + f"\n    {word('and')} ".join(self.conditions)]
        if self.grouped:
            lines += [f"{word('group by')} {', '.join(self.keys())}"]
        return "\n".join(lines) + "\n"

    def renamed(self, table: str, old: str, new: str) -> "Model":
        """Return the model after a column of one of its inputs has been renamed."""
        made = self
        for each in self.inputs:
            if each.table == table:
                made = made.replaced(f"{each.alias}.{old}", f"{each.alias}.{new}")
        return made

    def replaced(self, old: str, new: str) -> "Model":
        """Return the model with a reference to a column replaced."""
        return replace(
            self,
            columns=tuple((_swap(made, old, new), name) for made, name in self.columns),
            conditions=tuple(_swap(each, old, new) for each in self.conditions),
            inputs=tuple(replace(e, condition=_swap(e.condition, old, new)) for e in self.inputs),
        )


def is_aggregate(made: str) -> bool:
    """Return whether an expression is an aggregate."""
    return made.startswith(("sum(", "count(", "min(", "max("))


def _swap(text: str, old: str, new: str) -> str:
    words = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split(" ")
    swapped = " ".join(new if word == old else word for word in words)
    return swapped.replace(" ( ", "(").replace(" ) ", ")").replace(" , ", ",")


def _staging(name: str, source: str, columns: str, *conditions: str) -> Model:
    shown = tuple(_column(each, "src") for each in columns.split("; "))
    return Model(name, "staging", shown, (Input("src", source),), conditions)


def _column(text: str, alias: str = "") -> tuple[str, str]:
    made, _, name = text.partition(" as ")
    whole = made if "." in made or not alias else f"{alias}.{made}"
    return whole, name or made.rpartition(".")[2]


def _model(name: str, folder: str, columns: str, *parts: str, grouped: bool = False) -> Model:
    """Return a model from its columns, its inputs (``alias table kind on ...``) and conditions."""
    inputs, conditions = list[Input](), list[str]()
    for part in parts:
        if part.startswith("where "):
            conditions.append(part.removeprefix("where "))
            continue
        head, _, condition = part.partition(" on ")
        alias, table, *kind = head.split(" ")
        inputs.append(Input(alias, table, " ".join(kind), condition))
    shown = tuple(_column(each) for each in columns.split("; "))
    return Model(name, folder, shown, tuple(inputs), tuple(conditions), grouped)


ORDERS, ITEMS, PRODUCTS = "o stg_orders", "i stg_items", "p stg_products"
PROJECT: tuple[Model, ...] = (
    _staging("stg_customers", "raw_customers", "id as customer_id; name as customer_name; "
             "email as email; city as city; signed_up as signed_up", "src.deleted = false"),
    _staging("stg_orders", "raw_orders", "id as order_id; customer as customer_id; "
             "placed as placed; status as status; amount as amount; store as store_id"),
    _staging("stg_items", "raw_items", "id as item_id; order_id as order_id; "
             "product as product_id; quantity as quantity; price as price", "src.quantity > 0"),
    _staging("stg_products", "raw_products", "id as product_id; name as product_name; "
             "kind as kind; cost as cost"),
    _staging("stg_stores", "raw_stores", "id as store_id; name as store_name; city as city; "
             "opened as opened"),
    _staging("stg_payments", "raw_payments", "id as payment_id; order_id as order_id; "
             "method as method; amount as paid", "src.failed = false"),
    _model("int_order_items", "intermediate", "i.item_id; i.order_id; i.product_id; p.kind; "
           "i.quantity; i.quantity * i.price as revenue; i.quantity * p.cost as cost",
           ITEMS, f"{PRODUCTS} left join on i.product_id = p.product_id"),
    _model("int_order_totals", "intermediate", "t.order_id; sum(t.revenue) as revenue; "
           "sum(t.cost) as cost; count(t.item_id) as items", "t int_order_items", grouped=True),
    _model("int_order_payments", "intermediate", "y.order_id; sum(y.paid) as paid; "
           "count(*) as payments", "y stg_payments", grouped=True),
    _model("int_completed_orders", "intermediate", "o.order_id; o.customer_id; o.placed; "
           "o.amount; o.store_id", ORDERS, "where o.status = 'done'"),
    _model("int_returned_orders", "intermediate", "o.order_id; o.customer_id; o.amount", ORDERS,
           "where o.status = 'returned'"),
    _model("int_customer_first", "intermediate", "o.customer_id; min(o.placed) as first_order; "
           "max(o.placed) as last_order", ORDERS, grouped=True),
    _model("int_store_cities", "intermediate", "s.store_id; s.store_name; upper(s.city) as city",
           "s stg_stores"),
    _model("fct_orders", "marts", "o.order_id; o.customer_id; o.store_id; o.placed; o.status; "
           "o.amount; t.revenue; t.cost; y.paid", ORDERS,
           "t int_order_totals left join on o.order_id = t.order_id",
           "y int_order_payments left join on o.order_id = y.order_id"),
    _model("fct_items", "marts", "t.item_id; t.order_id; o.placed; t.product_id; t.kind; "
           "t.quantity; t.revenue", "t int_order_items",
           "o stg_orders join on t.order_id = o.order_id"),
    _model("fct_payments", "marts", "y.payment_id; y.order_id; o.customer_id; y.method; y.paid",
           "y stg_payments", "o stg_orders join on y.order_id = o.order_id"),
    _model("fct_returns", "marts", "r.order_id; r.customer_id; r.amount; y.paid",
           "r int_returned_orders", "y int_order_payments left join on r.order_id = y.order_id"),
    _model("dim_customers", "marts", "c.customer_id; c.customer_name; c.email; c.city; "
           "f.first_order; f.last_order", "c stg_customers",
           "f int_customer_first left join on c.customer_id = f.customer_id"),
    _model("dim_products", "marts", "p.product_id; p.product_name; p.kind; p.cost", PRODUCTS),
    _model("dim_stores", "marts", "s.store_id; s.store_name; s.city", "s int_store_cities"),
    _model("customers_with_orders", "marts", "c.customer_id; c.customer_name; o.order_id; "
           "o.placed; o.amount", "c dim_customers",
           "o int_completed_orders join on c.customer_id = o.customer_id"),
    _model("late_payers", "marts", "f.order_id; f.customer_id; f.amount; f.paid", "f fct_orders",
           "where f.paid < f.amount"),
    _model("sales_by_day", "aggregates", "f.placed; sum(f.amount) as amount; count(*) as orders",
           "f fct_orders", grouped=True),
    _model("sales_by_city", "aggregates", "c.city; sum(o.amount) as amount; count(*) as orders",
           "o fct_orders", "c dim_customers join on o.customer_id = c.customer_id", grouped=True),
    _model("sales_by_store", "aggregates", "s.store_name; s.city; sum(o.amount) as amount",
           "o int_completed_orders", "s dim_stores join on o.store_id = s.store_id", grouped=True),
    _model("sales_by_kind", "aggregates", "i.kind; sum(i.quantity) as quantity; "
           "sum(i.revenue) as revenue", "i fct_items", grouped=True),
    _model("sales_by_product", "aggregates", "d.product_name; sum(i.revenue) as revenue; "
           "count(distinct i.order_id) as orders", "i fct_items",
           "d dim_products join on i.product_id = d.product_id", grouped=True),
    _model("paid_by_method", "aggregates", "y.method; sum(y.paid) as paid; count(*) as payments",
           "y fct_payments", grouped=True),
    _model("returns_by_customer", "aggregates", "r.customer_id; sum(r.amount) as amount; "
           "count(*) as returns", "r fct_returns", grouped=True),
    _model("best_customers", "aggregates", "w.customer_id; w.customer_name; "
           "sum(w.amount) as amount; count(w.order_id) as orders", "w customers_with_orders",
           grouped=True),
    _model("cities", "aggregates", "b.city; b.amount; b.orders", "b sales_by_city",
           "where b.orders >= 2"),
)  # fmt: skip
"""All models, in an order in which each follows the models that it reads."""
