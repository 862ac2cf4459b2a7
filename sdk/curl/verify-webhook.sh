#!/usr/bin/env bash
# Verifies one webhook request (Standard Webhooks 1.0): the body on standard input, the three headers as arguments.
# Exits with 0 if it is genuine and at most five minutes old, otherwise with 1.
# Usage: SIGNAGE_WEBHOOK_SECRET=whsec_… verify-webhook.sh "$webhook_id" "$webhook_timestamp" "$webhook_signature" < body
set -euo pipefail
id=$1 timestamp=$2 signatures=$3

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || { echo "the timestamp is invalid" >&2; exit 1; }
age=$(($(date +%s) - timestamp))
((age <= 300 && age >= -300)) || { echo "the message is too old or from the future" >&2; exit 1; }

key=$(printf %s "${SIGNAGE_WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
# Sign the exact bytes received: parsing and serializing the body would change the signature.
expected=$({ printf %s "$id.$timestamp."; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w0)
# During a rotation of the secret there are several signatures, separated by spaces.
for signature in $signatures; do
  [[ $signature == "v1,$expected" ]] && exit 0
done
echo "the signature does not match" >&2
exit 1
