"""Sum up orders by country in pandas, and show the records behind the line that looks wrong."""

from pathlib import Path

from provhouse import pandas as tracked

HERE = Path(__file__).parent


def main() -> None:
    """Print the report, the records of its smallest line, and the lines that a record reached."""
    orders = tracked.read_csv(HERE / "orders.csv", key="order")
    customers = tracked.read_csv(HERE / "customers.csv", key="customer")
    report = (
        orders.merge(customers, on="customer").groupby("country", as_index=False)["amount"].sum()
    )
    print(report.to_pandas().to_string(index=False))
    worst = int(report.to_pandas()["amount"].idxmin())
    for table, records in report.backward([worst]).items():
        print(table, *records.names)
    reached = report.forward("customers", [1])
    print("bob reaches", *report.to_pandas()["country"].iloc[reached])


if __name__ == "__main__":
    main()
