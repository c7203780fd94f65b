/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stand-ins for what the files of the LLC half use of the kernel. The compiler
 * includes this file before each of them, and the kernel's headers that they
 * name are empty files (Makefile). There is one thread, so locks only note that
 * they are held.
 */
#ifndef _SMCR_SIM_KRN_H
#define _SMCR_SIM_KRN_H

#include <errno.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __percpu
#define __rcu
#define __read_mostly
#define __counted_by(member)
#define ____cacheline_aligned_in_smp
#define fallthrough		__attribute__((__fallthrough__))

#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, val)	((x) = (val))
#define cmpxchg(p, old, new)					\
({								\
	__typeof__(*(p)) cmpxchg_was = *(p);			\
								\
	if (cmpxchg_was == (old))				\
		*(p) = (new);					\
	cmpxchg_was;						\
})
#define smp_mb__after_atomic()	do { } while (0)
#define smp_load_acquire(p)	(*(p))
#define smp_store_release(p, v)	(*(p) = (v))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define U8_MAX			0xFFu
#define U16_MAX			0xFFFFu
#define U32_MAX			0xFFFFFFFFu
#define PAGE_SIZE		4096u
#define IFNAMSIZ		16
#define KBUILD_MODNAME		"smcr"

#define min(a, b)		min_t(__typeof__(a), a, b)
#define max(a, b)		max_t(__typeof__(a), a, b)

#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline const void *memchr_inv(const void *start, int c, size_t n)
{
	const u8 *at = start;

	for (; n--; at++)
		if (*at != (u8)c)
			return at;
	return NULL;
}

/* A warning of the kernel is a fault */
void krn_warn(const char *file, int line, const char *what);
#define WARN_ON_ONCE(cond)						\
	({								\
		bool warn_ = (cond);					\
									\
		if (warn_)						\
			krn_warn(__FILE__, __LINE__, #cond);		\
		warn_;							\
	})
__attribute__((format(printf, 1, 2))) void krn_log(const char *fmt, ...);
#define net_warn_ratelimited(fmt, ...)	krn_log(fmt, ##__VA_ARGS__)
#define trace_smcr_llc_tx(...)		do { } while (0)
extern unsigned int krn_handled;		/* messages that groups have looked at */
#define trace_smcr_llc_rx(...)		(krn_handled++)
#define trace_smcr_lgr_state(...)	do { } while (0)

/* Errors in pointers */
#define ERR_PTR(err)		((void *)(intptr_t)(err))
#define PTR_ERR(ptr)		((int)(intptr_t)(ptr))
#define IS_ERR(ptr)		((uintptr_t)(ptr) >= (uintptr_t)-4095)
#define PTR_ERR_OR_ZERO(ptr)	({ void *p_ = (ptr); IS_ERR(p_) ? PTR_ERR(p_) : 0; })

/* Memory; the simulator counts what is allocated */
typedef unsigned int gfp_t;
#define GFP_KERNEL		0
void *krn_alloc(size_t size);
void *krn_try_alloc(size_t size);
void krn_free(const void *mem);
#define kzalloc(size, gfp)	krn_try_alloc(size)
#define kcalloc(n, size, gfp)	krn_try_alloc((size_t)(n) * (size))
#define kvzalloc(size, gfp)	krn_try_alloc(size)
#define kfree(mem)		krn_free(mem)
#define kvfree(mem)		krn_free(mem)
#define kvfree_rcu(mem, rcu)	krn_free(mem)
#define struct_size(p, member, n) (sizeof(*(p)) + (n) * sizeof((p)->member[0]))

u32 krn_random(void);
#define get_random_u32()	krn_random()
#define get_random_u16()	((u16)krn_random())
#define get_random_u32_below(n)	(krn_random() % (n))
static inline void get_random_bytes(void *buf, size_t len)
{
	u8 *p = buf;

	while (len--)
		*p++ = (u8)krn_random();
}

/* Counters; these take the place of the unit tests' */
#define _SHIM_LINUX_ATOMIC_H
typedef struct { int n; } refcount_t;
typedef struct { int n; } atomic_t;
typedef struct { long n; } atomic_long_t;
struct kref { refcount_t refs; };
#define ATOMIC_INIT(i)		{ i }
#define refcount_set(r, i)	((r)->n = (i))
#define refcount_inc(r)		WARN_ON_ONCE((r)->n++ <= 0)
#define refcount_dec_and_test(r) (WARN_ON_ONCE((r)->n <= 0), !--(r)->n)
#define refcount_inc_not_zero(r) ((r)->n ? ((r)->n++, true) : false)
#define atomic_read(a)		((a)->n)
#define atomic_set(a, i)	((a)->n = (i))
#define atomic_add(i, a)	((a)->n += (i))
#define atomic_inc(a)		((a)->n++)
#define atomic_dec(a)		((a)->n--)
#define atomic_inc_return(a)	(++(a)->n)
#define atomic_dec_and_test(a)	(!--(a)->n)

static inline bool test_bit(int bit, const unsigned long *w)
{
	return *w & 1UL << bit;
}

static inline void set_bit(int bit, unsigned long *w)
{
	*w |= 1UL << bit;
}

static inline void clear_bit(int bit, unsigned long *w)
{
	*w &= ~(1UL << bit);
}

static inline bool test_and_set_bit(int bit, unsigned long *w)
{
	bool old = test_bit(bit, w);

	set_bit(bit, w);
	return old;
}

static inline bool test_and_clear_bit(int bit, unsigned long *w)
{
	bool old = test_bit(bit, w);

	*w &= ~(1UL << bit);
	return old;
}

/* Locks. None is taken while it is held. */
typedef struct { bool held; } spinlock_t;
struct mutex { bool held; };
extern int krn_spins;
#define spin_lock_init(l)	((l)->held = false)
#define mutex_init(l)		((l)->held = false)
#define krn_lock(l)		(WARN_ON_ONCE((l)->held), (l)->held = true)
#define krn_unlock(l)		(WARN_ON_ONCE(!(l)->held), (l)->held = false)
#define spin_lock_bh(l)		(krn_lock(l), (void)krn_spins++)
#define spin_unlock_bh(l)	(krn_unlock(l), (void)krn_spins--)
#define mutex_lock(l)		(WARN_ON_ONCE(krn_spins), krn_lock(l))
#define mutex_unlock(l)		krn_unlock(l)
#define lockdep_assert_held(l)		WARN_ON_ONCE(!(l)->held)
#define lockdep_assert_not_held(l)	WARN_ON_ONCE((l)->held)
#define lockdep_is_held(l)		((l)->held)
#define might_sleep()			WARN_ON_ONCE(krn_spins)
#define cond_resched()			do { } while (0)

/* RCU */
struct rcu_head { void *none; };
#define rcu_read_lock()			do { } while (0)
#define rcu_read_unlock()		do { } while (0)
#define rcu_dereference(p)		(p)
#define rcu_dereference_protected(p, c)	(p)
#define rcu_access_pointer(p)		(p)
#define rcu_assign_pointer(p, v)	((p) = (v))
#define RCU_INIT_POINTER(p, v)		((p) = (v))

/* Lists */
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
struct hlist_head { struct hlist_node *first; };
#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define DECLARE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define hash_init(table)	memset(table, 0, sizeof(table))
#define INIT_HLIST_NODE(n)	((n)->pprev = NULL)

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list_head *l)
{
	return l->next == l;
}

static inline void list_insert(struct list_head *n, struct list_head *prev)
{
	n->next = prev->next;
	n->prev = prev;
	prev->next->prev = n;
	prev->next = n;
}

static inline void list_add(struct list_head *n, struct list_head *l)
{
	list_insert(n, l);
}

static inline void list_add_tail(struct list_head *n, struct list_head *l)
{
	list_insert(n, l->prev);
}

static inline void list_del(struct list_head *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
}

static inline void list_del_init(struct list_head *n)
{
	list_del(n);
	INIT_LIST_HEAD(n);
}

static inline void list_move_tail(struct list_head *n, struct list_head *l)
{
	list_del(n);
	list_add_tail(n, l);
}

static inline bool list_is_first(const struct list_head *n, const struct list_head *l)
{
	return n->prev == l;
}

static inline size_t list_count_nodes(const struct list_head *l)
{
	const struct list_head *n;
	size_t count = 0;

	for (n = l->next; n != l; n = n->next)
		count++;
	return count;
}

/* Insert the nodes of @from behind @prev, and empty @from */
static inline void krn_splice(struct list_head *from, struct list_head *prev)
{
	while (!list_empty(from)) {
		struct list_head *n = from->prev;

		list_del(n);
		list_add(n, prev);
	}
}

#define list_splice(from, to)		krn_splice(from, to)
#define list_splice_init(from, to)	krn_splice(from, to)
#define list_splice_tail_init(from, to)	krn_splice(from, (to)->prev)
#define list_entry(p, type, member)	container_of(p, type, member)
#define list_first_entry_or_null(l, type, member)			\
	(list_empty(l) ? NULL : list_entry((l)->next, type, member))
#define list_for_each_entry(pos, l, member)				\
	for (pos = list_entry((l)->next, __typeof__(*pos), member);	\
	     &pos->member != (l);					\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, tmp, l, member)			\
	for (pos = list_entry((l)->next, __typeof__(*pos), member),	\
	     tmp = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (l);					\
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

/* Time: a jiffy is a millisecond */
#define HZ			1000
extern unsigned long jiffies;
#define msecs_to_jiffies(ms)	((unsigned long)(ms))
#define jiffies_to_msecs(j)	((unsigned int)(j))
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)

/* Work items */
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);
struct work_struct {
	work_func_t func;
	bool pending;
	u8 host;
	unsigned long at;
};

struct delayed_work { struct work_struct work; };
struct workqueue_struct;
struct timer_list { unsigned long expires; };
struct completion { bool done; };
#define INIT_WORK(w, f)		(*(w) = (struct work_struct){ .func = (f) })
#define INIT_DELAYED_WORK(w, f)	INIT_WORK(&(w)->work, f)
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
bool krn_queue(struct work_struct *work, unsigned long delay, bool again);
#define queue_work(wq, w)		krn_queue(w, 0, false)
#define queue_delayed_work(wq, w, d)	krn_queue(&(w)->work, d, false)
/* Return: true if the work was queued already */
#define mod_delayed_work(wq, w, d)	(!krn_queue(&(w)->work, d, true))
#define wake_up_var(var)		do { } while (0)
#define wait_var_event(var, cond)	do { } while (!(cond))

/* Structures that only have to exist */
struct in6_addr { u8 s6_addr[16]; };
struct sg_table { void *none; };
struct percpu_counter { s64 count; };

struct u64_stats_sync { int none; };
typedef struct { u64 v; } u64_stats_t;
#define get_cpu_ptr(p)				(p)
#define put_cpu_ptr(p)				do { } while (0)
#define u64_stats_update_begin_irqsave(s)	((void)(s), 0UL)
#define u64_stats_update_end_irqrestore(s, f)	((void)(f))
#define u64_stats_add(p, n)			((p)->v += (n))

/* Namespaces: one for each host. The loop over all of them sees that of the
 * host whose event runs.
 */
struct net { u8 host; };
struct net *krn_net(void);
void *krn_pernet(const struct net *net);
#define net_generic(net, id)	((void)(id), krn_pernet(net))
#define for_each_net(n)		for (n = krn_net(); n; n = NULL)
#define down_read(sem)		do { } while (0)
#define up_read(sem)		do { } while (0)

#endif
