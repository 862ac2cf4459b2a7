// A device that enrols over the device API, without a player.
import { call, Device, type ApiResponse, type TestService } from "../service/harness.ts";

/** A machine that a device runs on. */
export interface TestMachine {
  serial: string | null;
  mac: string | null;
}

/** The `n`th machine of a delivery. */
export function machine(n: number): TestMachine {
  const hex = n.toString(16).padStart(4, "0");
  return { serial: `SN-${1_000 + n}`, mac: `00:11:22:33:${hex.slice(0, 2)}:${hex.slice(2)}` };
}

/** Creates an enrolment key. @returns it with its secret */
export async function createKey(api: TestService, more: object = {}): Promise<ApiResponse["body"]> {
  const answer = await api.call("POST", "enrolment-keys", { name: "Delivery", max_count: 10, ...more });
  if (answer.status !== 201) throw new Error(`no key: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Enrols a device. After a success it has its token. */
export async function enrol(device: Device, key: string, on: TestMachine, more: object = {}): Promise<ApiResponse> {
  const about = { player_version: "1.2.3", hardware: "Test box", timezone: "Europe/London", resolution: null };
  const body = { key, proof: await device.proof(key), public_key: device.keys.publicKey, ...about, ...on, ...more };
  const answer = await call(device.url, "POST", "device/enrolments", body);
  if (answer.status === 200) device.access = answer.body;
  return answer;
}

/** A device with a new key on a machine, enrolled or refused. */
export async function enrolNew(api: TestService, key: string, on: TestMachine): Promise<{ device: Device; answer: ApiResponse }> {
  const device = new Device(api.service.url);
  return { device, answer: await enrol(device, key, on) };
}
