// SPDX-License-Identifier: GPL-2.0
/*
 * This module lets a plain TCP socket send the TCP option of SMC-R, so that a
 * test program can be the peer and send CLC messages of its own.
 *
 * /dev/synopt has two ioctls; both take a socket's file descriptor as argument:
 *
 *   SYNOPT_MARK	before connect() or listen(): send the option
 *   SYNOPT_AGREED	when connected: returns 1 if both SYNs had the option,
 *			else 0
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#define SYNOPT_MARK	_IO('y', 1)
#define SYNOPT_AGREED	_IO('y', 2)

static bool was_on;

static long on_sock(struct sock *sk, unsigned int cmd)
{
	struct tcp_sock *tp = tcp_sk(sk);
	long ret = 0;

	if (!sk_is_tcp(sk))
		return -EPROTOTYPE;
	lock_sock(sk);
	/* TCP clears the mark when the other SYN comes without the option. */
	if (cmd == SYNOPT_MARK)
		tp->syn_smc = 1;
	else
		ret = tp->syn_smc;
	release_sock(sk);
	return ret;
}

static long synopt_ioctl(struct file *file, unsigned int cmd,
			 unsigned long arg)
{
	struct socket *sock;
	long ret;
	int err;

	if (cmd != SYNOPT_MARK && cmd != SYNOPT_AGREED)
		return -ENOTTY;
	sock = sockfd_lookup(arg, &err);
	if (!sock)
		return err;
	ret = on_sock(sock->sk, cmd);
	sockfd_put(sock);
	return ret;
}

static const struct file_operations fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= synopt_ioctl,
};

static struct miscdevice dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "synopt",
	.fops	= &fops,
};

/* Load this module after smcr and remove it before smcr, since each of them
 * restores the state in which it found the key.
 */
static int __init synopt_init(void)
{
	int err = misc_register(&dev);

	if (err)
		return err;
	was_on = static_key_enabled(&tcp_have_smc);
	static_branch_enable(&tcp_have_smc);
	return 0;
}

static void __exit synopt_exit(void)
{
	misc_deregister(&dev);
	if (!was_on)
		static_branch_disable(&tcp_have_smc);
}

module_init(synopt_init);
module_exit(synopt_exit);

MODULE_DESCRIPTION("Test only: the TCP option of SMC-R on plain TCP sockets");
MODULE_LICENSE("GPL");
