"""Random aggregates and window functions."""

from dataclasses import replace

from .expressions import Expressions
from .schema import Kind
from .scope import Scope

ANY = ("min({x})", "max({x})", "any_value({x})", "first({x} order by {all})",
       "last({x} order by {all})", "arg_min({x}, {i})", "arg_max({x}, {i})", "mode({x})",
       "max_by({x}, {i})", "arbitrary({x})")  # fmt: skip
BY_KIND = {
    "int": (
        "count(*)", "count(*)", "count({any})", "count(distinct {any})", "sum({i})::int",
        "bit_xor({i})", "bit_and({i})", "quantile_disc({i}, 0.5)", "count()", "max({i}) - min({i})",
        "regr_count({i}, {i})", "approx_count_distinct({i})", "len(list({i}))", "count_if({c})",
        "sum({i} order by {i})::int", "product({i})::int", "count(({i}, {any}))",
    ),
    "txt": (
        "string_agg({t}, ',' order by {t}::blob)", "list({any} order by {any})::varchar",
        "array_agg(distinct {t} order by {t})::varchar", "histogram({i})::varchar",
        "listagg({t}, '' order by {t}::blob)", "list_sort(list(distinct {i}))::varchar",
    ),
    "dbl": ("avg({i})", "mean({i})", "stddev({i})", "var_pop({i})", "median({i})", "favg({i})",
            "entropy({i})", "kurtosis_pop({i})", "quantile_cont({i}, 0.3)", "corr({i}, {i})",
            "sum({d})", "skewness({i})", "mad({i})", "fsum({d})"),
    "bool": ("bool_and({b})", "bool_or({b})"),
    "list": ("list({i} order by {i})", "array_agg({i} order by {i} desc)"),
}  # fmt: skip
"""Templates of aggregates, by the kind of the value that they return.

{i} stands for a number, {t} for a string, {c} for a condition, and {any} for any column.
"""
TIES = ("any_value", "first", "last", "arg_m", "mode", "_by(", "arbitrary", "list(")
ROW_FUNCTIONS = ("rank()", "dense_rank()", "row_number()", "ntile(2)", "percent_rank()::int")
FRAMES = (
    "", "", "", "rows between 1 preceding and current row",
    "range between 1 preceding and 1 following",
    "rows between unbounded preceding and unbounded following exclude current row",
    "groups between 1 preceding and current row exclude ties", "rows current row",
)  # fmt: skip


class Functions(Expressions):
    """A generator of aggregates and window functions."""

    def aggregate(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return an aggregate over the rows of a scope."""
        self.monotone = False
        own = BY_KIND.get("txt" if kind == "nc" else kind, ())
        if kind == "dbl" and self.chance(0.9):
            own = tuple(each for each in own if "{d}" not in each)
        form = self.rng.choice(own if own and self.chance(0.75) else ANY)
        if form in ANY and kind in ("map", "bit", "struct", "list", "iv"):
            form = "any_value({x})"
        if any(each in form for each in TIES) or kind == "nc":  # 'a' and 'A' are ties of MIN
            self.tag("aggregate that may choose among ties", chooses=True)
        with self.within("the argument of an aggregate"):
            text = self.filled(form, scope, kind, depth)
        if self.chance(0.15) and form not in ("count()",) and not text.endswith("::int"):
            with self.within("FILTER"):
                condition = self.condition(scope, depth - 1)
            if text.endswith(")"):
                text += f" filter (where {condition})"
                self.tag("FILTER")
        if text.endswith("::int filter"):
            return text
        return text

    def filled(self, form: str, scope: Scope, kind: Kind, depth: int) -> str:
        """Return a template with columns in place of its placeholders."""
        inner = replace(scope, windows=False)
        number = self.value(inner, "int", depth - 1) if depth > 1 else self.column(inner, "int")
        some = self.rng.choice(inner.columns).text if inner.columns else "1"
        every = ", ".join(each.text for each in inner.columns[:3]) or "1"
        return form.format(
            x=self.column(inner, kind), i=number, t=self.column(inner, "txt"),
            b=self.column(inner, "bool"), d=self.column(inner, "dbl"), any=some,
            c=f"{number} > 0", all=every,
        )  # fmt: skip

    def window(self, scope: Scope, kind: Kind, depth: int) -> str:
        """Return a window function."""
        inner = replace(scope, windows=False)
        self.tag("window function", fragile=self.nested > 0 and scope.number > 1)
        self.sure = self.monotone = False
        keys = [
            self.column(inner, self.some_kind(inner)) for _ in range(self.rng.choice((0, 1, 1, 2)))
        ]
        if depth > 1 and self.chance(0.1):
            with self.within("a window definition"):
                keys.append(self.value(inner, "int", depth - 1))
        order = [
            self.column(inner, self.rng.choice(("int", "txt")))
            for _ in range(self.rng.choice((0, 1, 1, 2)))
        ]
        order = [each for each in order if each not in keys]
        part = f"partition by {', '.join(keys)}" if keys else ""
        frame = self.rng.choice(FRAMES) if order else ""
        if "range" in frame:
            order = [self.column(inner, "int")]
        sort = f"order by {', '.join(order)}" if order else ""
        if sort and self.chance(0.2):
            sort += self.rng.choice((" desc", " nulls first", " desc nulls last"))
        function = self._windowed(inner, kind, depth)
        if function in ROW_FUNCTIONS:
            frame = ""
        if frame:
            self.tag("window frame")
        if "rank" not in function or "row" in function:
            self.chooses = True
        return f"{function} over ({part} {sort} {frame})"

    def _windowed(self, scope: Scope, kind: Kind, depth: int) -> str:
        if kind == "int" and self.chance(0.5):
            return self.rng.choice(ROW_FUNCTIONS)
        one = self.column(scope, kind)
        if kind == "int" and self.chance(0.6):
            return self.rng.choice((f"sum({one})", "count(*)", f"count(distinct {one})"))
        nulls = self.rng.choice(("", " ignore nulls"))
        if nulls:
            self.tag("IGNORE NULLS")
        return self.rng.choice((
            f"lag({one}{nulls})", f"lead({one}, 1)", f"first_value({one}{nulls})", f"max({one})",
            f"last_value({one})", f"nth_value({one}, 2)", f"min({one})", f"min({one})",
        ))  # fmt: skip
