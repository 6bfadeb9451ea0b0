SELECT orders, count(*) AS customers
FROM (
  SELECT c_custkey, count(o_orderkey) AS orders
  FROM customer LEFT OUTER JOIN orders
    ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey)
GROUP BY orders
ORDER BY customers DESC, orders DESC
