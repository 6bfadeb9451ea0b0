"""The table and the 43 queries of ClickBench, with generated rows.

The original data cannot be downloaded here. The table has the 105 columns of ``hits`` with their
types. The columns that queries name have plausible distributions: few values, many values, or
mostly empty. The other columns are constant or small numbers, like many columns of the original.
"""

import duckdb

SMALL = [
    "JavaEnable",
    "CounterClass",
    "OS",
    "UserAgent",
    "IsRefresh",
    "RefererCategoryID",
    "URLCategoryID",
    "ResolutionDepth",
    "FlashMajor",
    "FlashMinor",
    "NetMajor",
    "NetMinor",
    "CookieEnable",
    "JavascriptEnable",
    "IsMobile",
    "MobilePhone",
    "IPNetworkID",
    "TraficSourceID",
    "SearchEngineID",
    "AdvEngineID",
    "IsArtifical",
    "WindowClientWidth",
    "WindowClientHeight",
    "ClientTimeZone",
    "SilverlightVersion1",
    "SilverlightVersion2",
    "SilverlightVersion4",
    "CodeVersion",
    "IsLink",
    "IsDownload",
    "IsNotBounce",
    "IsOldCounter",
    "IsEvent",
    "IsParameter",
    "DontCountHits",
    "WithHash",
    "Age",
    "Sex",
    "Income",
    "Interests",
    "Robotness",
    "RemoteIP",
    "WindowName",
    "OpenerName",
    "HistoryLength",
    "HTTPError",
    "SendTiming",
    "DNSTiming",
    "ConnectTiming",
    "ResponseStartTiming",
    "ResponseEndTiming",
    "FetchTiming",
    "SocialSourceNetworkID",
    "ParamPrice",
    "ParamCurrencyID",
    "HasGCLID",
    "HID",
    "SilverlightVersion3",
    "GoodEvent",
    "CLID",
    "UserAgentMinor",
]
TEXTS = [
    "FlashMinor2",
    "UserAgentMajor",
    "Params",
    "HitColor",
    "BrowserLanguage",
    "BrowserCountry",
    "SocialNetwork",
    "SocialAction",
    "SocialSourcePage",
    "ParamOrderID",
    "ParamCurrency",
    "OpenstatServiceName",
    "OpenstatCampaignID",
    "OpenstatAdID",
    "OpenstatSourceID",
    "UTMSource",
    "UTMMedium",
    "UTMCampaign",
    "UTMContent",
    "UTMTerm",
    "FromTag",
    "PageCharset",
    "OriginalURL",
]
NAMED = {
    "WatchID": "(hash(i) >> 1)::bigint",
    "Title": "case when r % 6 = 0 then '' when r % 97 = 1 then 'Google ' || r % 500 "
    "else 'page ' || (r % 40000) end",
    "EventTime": "timestamp '2013-07-01' + to_seconds((r % 2678400)::bigint)",
    "EventDate": "(date '2013-07-01' + (r % 2678400 // 86400)::int)",
    "CounterID": "case when r % 5 < 2 then 62 else (r % 4000)::int end",
    "ClientIP": "(r % 600000)::int",
    "RegionID": "(sqrt(r % 9000000))::int",
    "UserID": "(hash(r % 250000) >> 1)::bigint",
    "Referer": "case when r % 4 = 0 then '' else 'http://site' || (r % 3000) || '.com/' || "
    "(r % 70000) end",
    "URL": "'http://' || case when r % 61 = 0 then 'google' else 'host' || r % 900 end || "
    "'.com/' || (r % 90000)",
    "RefererRegionID": "(r % 1500)::int",
    "URLRegionID": "(r % 1500)::int",
    "ResolutionWidth": "(800 + r % 60 * 20)::smallint",
    "ResolutionHeight": "(600 + r % 40 * 20)::smallint",
    "MobilePhoneModel": "case when r % 20 > 0 then '' else 'phone ' || r % 160 end",
    "LocalEventTime": "timestamp '2013-07-01' + to_seconds((r % 2678400)::bigint)",
    "SearchPhrase": "case when r % 8 > 0 then '' else 'words ' || (sqrt(r) % 60000)::int end",
    "ClientEventTime": "timestamp '2013-07-01' + to_seconds((r % 2678400)::bigint)",
    "FUniqID": "(hash(r % 500000) >> 1)::bigint",
    "RefererHash": "case when r % 50 = 0 then 3594120000172545465 else (r % 70000)::bigint end",
    "URLHash": "case when r % 50 = 0 then 2868770270353813622 else (r % 90000)::bigint end",
}
SPECIAL = {
    "AdvEngineID": "(case when r % 40 = 0 then r % 19 else 0 end)::smallint",
    "SearchEngineID": "(case when r % 8 = 0 then r % 40 else 0 end)::smallint",
    "TraficSourceID": "(r % 10 - 1)::smallint",
    "MobilePhone": "(case when r % 20 = 0 then r % 100 else 0 end)::smallint",
    "IsRefresh": "(r % 8 = 0)::smallint",
    "DontCountHits": "(r % 11 = 0)::smallint",
    "IsLink": "(r % 13 = 0)::smallint",
    "IsDownload": "(r % 200 = 0)::smallint",
    "WindowClientWidth": "(r % 2000)::smallint",
    "WindowClientHeight": "(r % 1200)::smallint",
}
QUERIES = """
SELECT COUNT(*) FROM hits
SELECT COUNT(*) FROM hits WHERE AdvEngineID <> 0
SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits
SELECT AVG(UserID) FROM hits
SELECT COUNT(DISTINCT UserID) FROM hits
SELECT COUNT(DISTINCT SearchPhrase) FROM hits
SELECT MIN(EventDate), MAX(EventDate) FROM hits
SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC
SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM hits GROUP BY RegionID ORDER BY u DESC LIMIT 10
SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM hits GROUP BY RegionID ORDER BY c DESC LIMIT 10
SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' GROUP BY MobilePhoneModel ORDER BY u DESC LIMIT 10
SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC LIMIT 10
SELECT SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10
SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC LIMIT 10
SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC LIMIT 10
SELECT UserID, COUNT(*) FROM hits GROUP BY UserID ORDER BY COUNT(*) DESC LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase LIMIT 10
SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10
SELECT UserID FROM hits WHERE UserID = 435090932899640449
SELECT COUNT(*) FROM hits WHERE URL LIKE '%google%'
SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM hits WHERE URL LIKE '%google%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10
SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM hits WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10
SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10
SELECT CounterID, AVG(STRLEN(URL)) AS l, COUNT(*) AS c FROM hits WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25
SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS k, AVG(STRLEN(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25
SUMS
SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10
SELECT URL, COUNT(*) AS c FROM hits GROUP BY URL ORDER BY c DESC LIMIT 10
SELECT 1, URL, COUNT(*) AS c FROM hits GROUP BY 1, URL ORDER BY c DESC LIMIT 10
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM hits GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC LIMIT 10
SELECT Title, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC LIMIT 10 OFFSET 1000
SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, URL AS Dst, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0 GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC LIMIT 10 OFFSET 1000
SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0 AND TraficSourceID IN (-1, 6) AND RefererHash = 3594120000172545465 GROUP BY URLHash, EventDate ORDER BY PageViews DESC LIMIT 10 OFFSET 100
SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = 2868770270353813622 GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC LIMIT 10 OFFSET 10000
SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15' AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 1000
""".strip().split("\n")  # noqa: E501  # each query is a line, as ClickBench has them


def queries() -> dict[str, str]:
    """Return the queries by their names, ``c00`` to ``c42``."""
    sums = ", ".join(f"SUM(ResolutionWidth + {at})" for at in range(90))
    texts = [text if text != "SUMS" else f"SELECT {sums} FROM hits" for text in QUERIES]
    return {f"c{at:02}": text for at, text in enumerate(texts)}


def make(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    """Make the table ``hits`` with a number of rows."""
    columns = dict(NAMED)
    columns |= {
        name: SPECIAL.get(name, f"(r % {7 + at})::smallint") for at, name in enumerate(SMALL)
    }
    columns |= dict.fromkeys(TEXTS, "''")
    listed = ", ".join(f"{text} as {name}" for name, text in columns.items())
    con.execute(
        f"create table hits as select {listed} from "
        f"(select i, (hash(i * 7) >> 20)::bigint r from range({rows}) t(i))"
    )
