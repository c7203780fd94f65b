// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/smcr_stall: memory whose page faults wait until the test ends them, as
 * those of a FUSE file or of userfaultfd may.
 *
 *   mmap		a thread that touches the mapping sleeps in the fault
 *   read		returns the number of threads that sleep there, in
 *			decimal
 *   write		ends these faults; from now on faults do not wait
 *
 * A kill signal ends the fault of a thread, too.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

static DECLARE_WAIT_QUEUE_HEAD(stall_queue);
static atomic_t stall_waiting;
static bool stall_over;

static vm_fault_t stall_page(struct vm_fault *vmf)
{
	vmf->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return vmf->page ? 0 : VM_FAULT_OOM;
}

/* Wait without the lock of the address space, so that other threads of the
 * process can run.
 */
static vm_fault_t stall_fault(struct vm_fault *vmf)
{
	if (READ_ONCE(stall_over))
		return stall_page(vmf);
	if (!fault_flag_allow_retry_first(vmf->flags) ||
	    vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_SIGBUS;
	release_fault_lock(vmf);
	atomic_inc(&stall_waiting);
	wait_event_killable(stall_queue, READ_ONCE(stall_over));
	atomic_dec(&stall_waiting);
	return VM_FAULT_RETRY;
}

static const struct vm_operations_struct stall_vm_ops = {
	.fault	= stall_fault,
};

static int stall_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &stall_vm_ops;
	return 0;
}

static ssize_t stall_read(struct file *file, char __user *buf, size_t len,
			  loff_t *pos)
{
	char text[16];
	int n;

	n = scnprintf(text, sizeof(text), "%d\n", atomic_read(&stall_waiting));
	return simple_read_from_buffer(buf, len, pos, text, n);
}

static ssize_t stall_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	WRITE_ONCE(stall_over, true);
	wake_up_all(&stall_queue);
	return len;
}

static const struct file_operations stall_fops = {
	.owner	= THIS_MODULE,
	.mmap	= stall_mmap,
	.read	= stall_read,
	.write	= stall_write,
};

static struct miscdevice stall_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "smcr_stall",
	.fops	= &stall_fops,
	.mode	= 0666,
};

module_misc_device(stall_dev);
MODULE_DESCRIPTION("Test only: memory whose page faults wait");
MODULE_LICENSE("GPL");
