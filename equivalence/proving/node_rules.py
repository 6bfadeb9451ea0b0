def total_of_totals(name, terms, form):
    return terms
