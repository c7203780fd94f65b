// SPDX-License-Identifier: GPL-2.0
/*
 * Loading this module makes functions slow: the processor waits before each of
 * their instructions. So the actions of another processor fall between any two
 * instructions, as they may on any machine.
 *
 *	insmod slowly.ko functions=smcr_rx_recvmsg,smcr_tx_sendmsg us=100
 *
 * The module skips instructions on which the kernel does not allow a probe. An
 * inlined function cannot be named.
 */
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/slab.h>

#define SLOWLY_FUNCTIONS	4
/* Bytes of a function that get probes; the rest of it stays fast */
#define SLOWLY_BYTES		2048u

static char *functions[SLOWLY_FUNCTIONS];
static int n_functions;
module_param_array(functions, charp, &n_functions, 0444);
MODULE_PARM_DESC(functions, "names");
static uint us = 100;
module_param(us, uint, 0444);
MODULE_PARM_DESC(us, "microseconds before each instruction");

static struct kprobe *probes;
/* Pointers to them, to unregister all of them with one grace period */
static struct kprobe **pointers;
static unsigned int n_probes;

static int slowly_wait(struct kprobe *kp, struct pt_regs *regs)
{
	udelay(us);
	return 0;
}

/* The size of a function in bytes, from the text "name+offset/size [module]"
 * that the kernel prints.
 */
static unsigned int slowly_len(const char *name)
{
	struct kprobe kp = { .symbol_name = name };
	char text[KSYM_SYMBOL_LEN], *size;
	unsigned int len;

	if (register_kprobe(&kp))
		return 0;
	sprint_symbol(text, (unsigned long)kp.addr);
	unregister_kprobe(&kp);
	size = strrchr(text, '/');
	if (!size || sscanf(size, "/0x%x", &len) != 1)
		return 0;
	return min(len, SLOWLY_BYTES);
}

/* Try each offset: register_kprobe() refuses those inside an instruction. */
static unsigned int slowly_probe(const char *name, unsigned int max)
{
	unsigned int off, len = slowly_len(name), n = 0;
	struct kprobe *kp;

	for (off = 0; off < len && n_probes < max; off++) {
		kp = &probes[n_probes];
		*kp = (struct kprobe) {
			.symbol_name = name,
			.offset = off,
			.pre_handler = slowly_wait,
		};
		if (register_kprobe(kp))
			continue;
		pointers[n_probes++] = kp;
		n++;
	}
	return n;
}

static void slowly_undo(void)
{
	if (n_probes)
		unregister_kprobes(pointers, n_probes);
	kvfree(pointers);
	kvfree(probes);
}

static int __init slowly_init(void)
{
	unsigned int max = n_functions * SLOWLY_BYTES;
	int i;

	probes = kvcalloc(max, sizeof(*probes), GFP_KERNEL);
	pointers = kvcalloc(max, sizeof(*pointers), GFP_KERNEL);
	if (!probes || !pointers) {
		slowly_undo();
		return -ENOMEM;
	}
	for (i = 0; i < n_functions; i++) {
		unsigned int n = slowly_probe(functions[i], max);

		pr_info("slowly: %u instructions of %s\n", n, functions[i]);
		if (!n) {
			slowly_undo();
			return -ENOENT;
		}
	}
	return 0;
}

static void __exit slowly_exit(void)
{
	slowly_undo();
}

module_init(slowly_init);
module_exit(slowly_exit);

MODULE_DESCRIPTION("Test only: slow functions");
MODULE_LICENSE("GPL");
