#!/bin/bash
# Many runs: a table of the paper, shared by the tasks of a Slurm array. Each task makes
# every n-th run and records it in a folder of its own; a task that is requeued goes on
# with its runs where they stood. From the repository, after `make build`:
#
#   sbatch --array=0-9 cluster/deploy/slurm-array.sh 6
#
# and when all are done, join the records and make the page:
#
#   cat lab/benchmarks/array-*/table6.jsonl >> lab/benchmarks/table6.jsonl
#   bin/bench -table 6 -print
#
#SBATCH --job-name=hinge-table
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
table=${1:?"which table? sbatch --array=0-9 cluster/deploy/slurm-array.sh 6 [flags of bench]"}
shift
out=lab/benchmarks/array-${SLURM_ARRAY_TASK_ID:?"start it with sbatch --array=0-9"}
mkdir -p "$out"
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
# Slurm ends a task by SIGTERM, at which the run writes a checkpoint.
exec bin/bench -table "$table" -shard auto -runs checkpoints/tables -out "$out" "$@"
