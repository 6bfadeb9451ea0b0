"""The programs of `programs.py` on data frames, as SQL; results equal those of RDDs."""

from benchmarks.capture.programs_rdds import NOON, TERM

PROGRAMS = {
    "grep": f"SELECT line FROM words WHERE contains(line, '{TERM}')",
    "word count": """SELECT word, count(*) AS n
        FROM (SELECT explode(split(line, ' ')) AS word FROM words) GROUP BY word""",
    "L1": """SELECT user, count(nullif(if(action = 1, info, link), '')) AS n
        FROM (SELECT user, action, info, explode(split(links, '[|]')) AS link FROM views)
        GROUP BY user""",
    "L2": "SELECT user, revenue FROM views JOIN power_users ON user = name",
    "L3": """SELECT user, sum(revenue) AS revenue FROM views JOIN users ON user = name
        GROUP BY user""",
    "L4": "SELECT user, count(DISTINCT action) AS n FROM views GROUP BY user",
    "L5": "SELECT DISTINCT user FROM views LEFT ANTI JOIN users ON user = name",
    "L6": """SELECT user, term, ip, time, sum(timespent) AS spent FROM views
        GROUP BY user, term, ip, time""",
    "L7": f"""SELECT user, count_if(time < {NOON}) AS early, count_if(time >= {NOON}) AS late
        FROM views GROUP BY user""",
    "L11": "SELECT DISTINCT user FROM views UNION SELECT DISTINCT name FROM wide",
}
