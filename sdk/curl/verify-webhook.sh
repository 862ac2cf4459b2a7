#!/usr/bin/env bash
# Verifies one message by Standard Webhooks 1.0: the body on standard input, the three headers as arguments.
# Ends with 0 when it is genuine and not older than five minutes, else with 1.
# Usage: SIGNAGE_WEBHOOK_SECRET=whsec_… verify-webhook.sh "$webhook_id" "$webhook_timestamp" "$webhook_signature" < body
set -euo pipefail
id=$1 timestamp=$2 signatures=$3

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || { echo "the timestamp is none" >&2; exit 1; }
age=$(($(date +%s) - timestamp))
((age <= 300 && age >= -300)) || { echo "the message is too old, or from the future" >&2; exit 1; }

key=$(printf %s "${SIGNAGE_WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
# The bytes exactly as they came: a body that was parsed and written anew has another signature.
expected=$({ printf %s "$id.$timestamp."; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w0)
# During a rotation of the secret there are several, with spaces between.
for signature in $signatures; do
  [[ $signature == "v1,$expected" ]] && exit 0
done
echo "the signature does not match" >&2
exit 1
