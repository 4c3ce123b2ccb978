"""The views of the two processes."""

from __future__ import annotations

LATER = "over_sums"
"""The view of the second process over one of the first, which has to be there first."""
VIEWS = {
    "first": {
        "sums": "select k, sum(v) as total, count(*) as n from @facts group by k",
        "joined": "select f.k, f.v, d.name from @facts as f join @names as d on f.k = d.k",
    },
    "second": {
        "largest": "select k, max(v) as most, count(distinct v) as n from @facts group by k",
        "ranked": "select k, v, rank() over (partition by k order by v) as place from @facts",
        LATER: "select n, count(*) as keys, sum(total) as total from @sums group by n",
    },
}
