#!/bin/bash
# One run on several ranks, under Slurm. From the repository, on a file system that all
# nodes share, after `go build -tags mpi -o bin/ ./cmd/...`:
#
#   sbatch --ntasks=4 cluster/deploy/slurm-mpi.sh -task mnist-add2 -set training.batch=16 -out RUN
#
# A job that is requeued goes on from its newest checkpoint; it may do so with any number
# of tasks that divides -shards, here the number it was first given.
#
#SBATCH --job-name=hinge-train
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@90
set -euo pipefail
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
# At SIGTERM, here 90 s before the time is up, mpirun of Open MPI gives its ranks this many
# seconds, waits as many, and kills them: time for a step and a checkpoint.
export OMPI_MCA_odls_base_sigkill_timeout=20
# mpirun of an Open MPI that knows Slurm takes the job's nodes and tasks; where it does
# not, `srun --mpi=pmix bin/train …` (Open MPI) or `srun --mpi=pmi2` (MPICH) starts them.
mpirun=${HINGE_MPIRUN:-mpirun}
exec "$mpirun" -n "${SLURM_NTASKS:-4}" bin/train -resume=auto -shards "${SLURM_NTASKS:-4}" "$@"
