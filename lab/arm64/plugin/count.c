// A plugin of QEMU that counts the instructions which the emulated program executes, and
// prints the number at its end. Only what it uses of qemu-plugin.h is declared here, as
// Debian packages no header.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*tb_trans_cb)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*exit_cb)(qemu_plugin_id_t, void *);
typedef void (*exec_cb)(unsigned int, void *);
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_trans_cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, exec_cb, enum qemu_plugin_cb_flags, void *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, exit_cb, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

int qemu_plugin_version = 1;

static uint64_t count;

static void run(unsigned int vcpu, void *n) {
  (void)vcpu;
  __atomic_fetch_add(&count, (uint64_t)(uintptr_t)n, __ATOMIC_RELAXED);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, run, QEMU_PLUGIN_CB_NO_REGS, (void *)qemu_plugin_tb_n_insns(block));
}

static void print(qemu_plugin_id_t id, void *unused) {
  (void)id, (void)unused;
  fprintf(stderr, "instructions: %" PRIu64 "\n", count);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
