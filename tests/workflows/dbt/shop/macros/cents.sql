{% macro euros(column) %}cast({{ column }} / 100 as decimal(18, 2)){% endmacro %}
