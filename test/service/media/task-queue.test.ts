// The order of media tasks: how many run at once, and fairness between teams.
import { expect, test } from "vitest";
import { TaskQueue } from "../../../src/service/media/task-queue.ts";

interface Task {
  name: string;
  lane: string;
  isUrgent: boolean;
}

const upload = (name: string, lane: string): Task => ({ name, lane, isUrgent: true });
const thumbnail = (name: string, lane: string): Task => ({ name, lane, isUrgent: false });

/** Starts every task that may run now. */
function startAll(queue: TaskQueue<Task>): Task[] {
  const started: Task[] = [];
  for (let task = queue.startNext(); task !== null; task = queue.startNext()) started.push(task);
  return started;
}

function queueOf(...tasks: Task[]): TaskQueue<Task> {
  const queue = new TaskQueue<Task>();
  for (const task of tasks) queue.add(task);
  return queue;
}

const names = (tasks: readonly Task[]): string[] => tasks.map(({ name }) => name);

test("[MPR1] at most three tasks run at once, at most two of them for one team", () => {
  const queue = queueOf(...["a1", "a2", "a3"].map((name) => upload(name, "a")));
  expect(names(startAll(queue))).toEqual(["a1", "a2"]);
  for (const name of ["b1", "b2"]) queue.add(upload(name, "b"));
  const [third] = startAll(queue);
  expect([third?.name, queue.runningCount]).toEqual(["b1", 3]);
  queue.finish(third!);
  expect(names(startAll(queue))).toEqual(["b2"]);
});

test("[MPR1] the team with the fewest running tasks comes first, then the one that waited longest", () => {
  const queue = queueOf(upload("a1", "a"), upload("a2", "a"), upload("b1", "b"));
  expect(names(startAll(queue))).toEqual(["a1", "b1", "a2"]);
  const late = queueOf(upload("a1", "a"), upload("b1", "b"), upload("c1", "c"), upload("a2", "a"), upload("b2", "b"));
  const started = startAll(late);
  for (const task of started) late.finish(task);
  expect([names(started), names(startAll(late))]).toEqual([
    ["a1", "b1", "c1"],
    ["a2", "b2"],
  ]);
});

test("[MPR1] uploads come before thumbnails, and thumbnails leave a place of their team free", () => {
  const queue = queueOf(thumbnail("t1", "a"), thumbnail("t2", "a"), upload("u1", "a"));
  expect(names(startAll(queue))).toEqual(["u1"]);
  const idle = queueOf(thumbnail("t1", "a"), thumbnail("t2", "a"));
  expect(names(startAll(idle))).toEqual(["t1"]);
  expect(names(idle.removeWaiting())).toEqual(["t2"]);
  expect(startAll(idle)).toEqual([]);
});
