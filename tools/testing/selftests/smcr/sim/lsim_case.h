/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios, and the stage that they are played on.
 */
#ifndef _LSIM_CASE_H
#define _LSIM_CASE_H

#include "llc_msg.h"
#include "lsim.h"

#define SRV	(lsim.host[SERVER].lgr)
#define CLN	(lsim.host[CLIENT].lgr)

/**
 * struct hold - a kind of message that is held back
 * @on: in use
 * @host: sender
 * @type: message type
 * @reply: flag R
 * @skip: messages of this kind to let pass first
 * @link: number of the link that carries it; 0: any
 */
struct hold {
	bool on;
	u8 host;
	u8 type;
	bool reply;
	u8 skip;
	u8 link;
};

/**
 * struct scase - a scenario
 * @name: the RFC's collision or action, or a name of its own
 * @text: what it shows
 * @run: plays it
 */
struct scase {
	const char *name;
	const char *text;
	void (*run)(void);
};

/* The last entry has no name */
extern const struct scase lsim_collisions[];
extern const struct scase lsim_recoveries[];
extern const struct scase lsim_kinds[];
extern const struct scase lsim_memory[];
extern const struct scase lsim_linux[];
extern const struct scase lsim_peer[];

/* lsim_stage.c */
extern struct hold st_held[2];
extern u32 st_seed;
extern bool st_trace, st_linux;

void st_hold(u8 host, enum smcr_llc_type type, bool reply);
void st_let_go(void);
void st_run(void);
void st_told(void);
void st_mark(void);
u32 st_sent(u8 host, enum smcr_llc_type type, bool reply);
const struct smcr_llc_msg *st_last(u8 host, enum smcr_llc_type type, bool reply);
struct smcr_link *st_link_of(u8 host, u8 num);
bool st_is_active(u8 host, u8 num);
u8 st_links(u8 host);
enum smcr_llc_step st_step_of(u8 host);
bool st_dead(u8 host);
bool st_has_held(u8 host);
void st_break_link(u8 host, u8 num);
void st_cut_link(u8 num);
void st_heal_paths(void);
void st_stall(u8 host, unsigned long ms);
void st_busy(bool keeps);
bool st_unbusy(void);
void st_send_raw(u8 host, u8 num, const u8 *buf);
void st_send(u8 host, u8 num, const struct smcr_llc_msg *msg);
void st_need_rmb(u8 host);
void st_close_by(u8 host);
void st_test_by(u8 host, u8 num);
void st_ports_up(u8 port);
void st_first_contact(u8 server_ports, u8 client_ports, u8 up);
void st_group(u8 nr_links);
void st_adding(enum smcr_llc_type type, u8 port);
void st_deleting(u8 nr_links);
void st_confirming(u8 host, u8 nr_links);
void st_ends_with(u8 nr_links);
void st_fresh(void);
void st_again(u8 *i, u8 n);

#endif
