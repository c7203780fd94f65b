# SPDX-License-Identifier: GPL-2.0
# bash completion for smcr-ctl; the columns come from its help text

_smcr_ctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} word object='' i words

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == -* ]] && continue
		object=$word
		break
	done
	if [[ -z $object && $cur == -* ]]; then
		words='--json --pretty --details --anonymous --version --help'
	elif [[ -z $object ]]; then
		words='device linkgroup link conn negative pnet stats monitor report help'
	elif [[ $object == report ]]; then
		words='--anonymous help'
	elif [[ $object == monitor ]]; then
		words='device linkgroup link fallback'
	elif ((COMP_CWORD == i + 1)); then
		words="show help $(smcr-ctl "$object" help 2>/dev/null |
			sed -n "s/^ *smcr-ctl $object \([a-z]*\).*/\1/p")"
	elif (((COMP_CWORD - i) % 2 == 0)); then
		words=$(smcr-ctl "$object" help 2>/dev/null |
			sed -n '/^COLUMN:/,$s/^  \([a-z-]*\).*/\1/p')
	else
		words=''
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _smcr_ctl smcr-ctl
