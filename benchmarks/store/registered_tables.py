"""Appends and reads of the five stores: N nights. Run with the interpreter of either worktree."""
import sys, time, tempfile, statistics, importlib
import os
os.fsync=lambda h: None
from pathlib import Path
import pyarrow as pa
old = sys.argv[1]=="old"; N=int(sys.argv[2])
mod = "provhouse.store.warehouse." if old else "provhouse.store.tables."
ft,pins,wr,sw,un=(importlib.import_module(mod+m) for m in ("file_table","pins","written","sampled_writes","uncaptured"))
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.commits import Commit
import json
d=Path(tempfile.mkdtemp(dir="/tmp/reg")); L=Layout(d); (d/"commits").mkdir()
from provhouse.model.column_map import ColumnMap
cm=ColumnMap({f"c{i}":[("orders",f"c{i}")] for i in range(10)},{},(("orders","x","filter"),),("orders",))
cpu=[];wall=[]
for n in range(N):
    t=time.perf_counter();c=time.process_time()
    paths=[f"/data/warehouse/balance/part-{n:05d}-{k}-6f0e2d9c.c000.snappy.parquet" for k in range(4)]
    ft.add_files(L,pa.array(paths))
    nums=ft.numbers_of(L,pa.array(paths)).tolist()
    ws=[wr.Written(f"t{k}",nums[2*k],("id",),tuple(nums[2*k:2*k+2]),f"run {n}",cm,f"/data/t{k}",True,0,n,None,(),((10,20),(30,40))) for k in range(2)]
    wr.read_written(L)
    if old: [wr.add_written(L,w) for w in ws]
    else: wr.add_written(L,ws)
    pins.add_pins(L,[pins.Pin("t0",("id",),Path(p),5,6) for p in paths])
    if n%10==0:
        s=sw.SampledWrite("t0",nums[0],.5,("a",),n)
        sw.add_sample(L,s) if old else sw.add_samples(L,[s])
    un.note_captured(L,["t0","t1"])
    wall.append(time.perf_counter()-t);cpu.append(time.process_time()-c)
q=lambda v:f"{1000*statistics.median(v):.1f}"
print("landing: last 50 nights, ms wall",q(wall[-50:]),"cpu",q(cpu[-50:]), "all cpu s",round(sum(cpu),1))
import subprocess
code=f'''
import time,sys
import provhouse.store.tables.snapshot
from pathlib import Path
from provhouse.store.warehouse.layout import Layout
from {mod}written import read_written, read_since
from {mod}file_table import read_files
from {mod}pins import read_pins
from {mod}sampled_writes import read_samples
L=Layout(Path({str(d)!r}))
for name,f in (("samples",lambda:read_samples(L)),("files",lambda:read_files(L)),("written",lambda:read_written(L)),("since",lambda:read_since(L,4*{N}-40)),("pins",lambda:read_pins(L,["t0"]))):
    out=[]
    for _ in range(6):
        c=time.process_time();f();out.append(1000*(time.process_time()-c))
    print(name,"first",round(out[0],1),"again",round(min(out[1:]),2),"cpu ms")
'''
print(subprocess.run([sys.executable,"-c",code],capture_output=True,text=True,cwd="/tmp/reg").stdout)
print(sum(1 for p in d.rglob("*") if p.is_file()),"files",sum(p.stat().st_size for p in d.rglob("*") if p.is_file())//1000,"kB")
import shutil; shutil.rmtree(d)
