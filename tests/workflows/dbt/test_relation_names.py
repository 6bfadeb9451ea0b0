"""Table names in compiled SQL are replaced, with any kind of quotes; string literals are not."""

import pytest

from provhouse.workflows.dbt.relation_names import RelationNames, tokens

NAMES = RelationNames({'"shop"."main"."orders"': '"o"."orders"', '"orders"': '"x"."orders"'})


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ('from "shop"."main"."orders"', 'from "o"."orders"'),
        ("from shop.main.Orders as x;", 'from "o"."orders" as x'),
        ('select "shop"."main"."orders".id', 'select "o"."orders".id'),
        ('select \'"shop"."main"."orders"\'', 'select \'"shop"."main"."orders"\''),
        ("select $$ shop.main.orders $$", "select $$ shop.main.orders $$"),
        ('from "x"."shop"."main"."orders"', 'from "x"."shop"."main"."orders"'),
        ('from "shop"."main"."orders_2"', 'from "shop"."main"."orders_2"'),
        ('select "orders" from t', 'select "orders" from t'),
        ("select a/*x*/b -- c\n, é from t", "select a b , é from t"),
        ("select 'a' -- c\n 'b'", "select 'a'\n'b'"),
        ("select 'a' 'b'", "select 'a' 'b'"),
        ("select a::int>=1.5", "select a::int>=1.5"),
    ],
)
def test_names_are_replaced_and_texts_are_kept(text: str, replaced: str) -> None:
    assert NAMES.replaced(text)[0] == replaced


def test_tokens_have_no_comments() -> None:
    assert tokens("-- one\nselect /* two */ 1") == ["select ", "1"]
    assert tokens("") == []
