// What the numbers in a page's columns stand for; report/page/events.h has the same order.

/** Kinds of events: what they are called, and the custom property of their colour. */
export const KINDS = [
  {name: 'HtoD', words: 'copy to the device', colour: '--htod'},
  {name: 'DtoH', words: 'copy back to the host', colour: '--dtoh'},
  {name: 'DtoD', words: 'copy between devices', colour: '--dtod'},
  {name: 'memset', words: 'memory set on the device', colour: '--dtod'},
  {name: 'alloc', words: 'device memory allocated', colour: '--alloc'},
  {name: 'delete', words: 'device memory freed', colour: '--alloc'},
  {name: 'kernel', words: 'kernel', colour: '--kernel'},
  {name: 'region', words: 'directive, as the host saw it', colour: '--host'},
];
export const HTOD = 0;
export const DTOH = 1;
export const KERNEL = 6;
export const REGION = 7;

/** Bits of an event's flags, and what they say. */
export const FLAGS = [
  {bit: 1, words: 'the runtime’s own'},
  {bit: 2, words: 'unfinished: the process died meanwhile'},
  {bit: 4, words: 'only its submission was timed'},
  {bit: 8, words: 'end of the data region'},
  {bit: 16, words: 'ran on the host instead'},
];

/** What a pass's time goes into, from the bottom of its bar upwards. */
export const PARTS = [
  {key: 'htod', words: 'HtoD copies', colour: '--htod'},
  {key: 'kernel', words: 'kernels', colour: '--kernel'},
  {key: 'dtoh', words: 'DtoH copies', colour: '--dtoh'},
  {key: 'on_device', words: 'copies between devices, memsets', colour: '--dtod'},
  {key: 'allocation', words: 'allocation', colour: '--alloc'},
  {key: 'host', words: 'host', colour: '--host'},
];

/** What would make a finding's edits wrong. */
export const UNLESS = {
  host_uses: 'the host reads or changes the data meanwhile, and no update says so',
  kernel_changes: 'a kernel changes what none changed in this run',
  kernel_uses: 'a kernel uses what none used in this run',
  host_wants_restore: 'the host has changed its copy, and wants what the device has',
  made_anew: 'the program makes the storage anew meanwhile',
  no_pass: 'the loop has no pass',
};
