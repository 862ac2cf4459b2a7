// Where multicast DNS sends and listens: the usual group and port on all interfaces, or others, such as only loopback in tests.

/** Options of the package multicast-dns. Empty: port 5353 on every interface. */
export interface MulticastOptions {
  port?: number;
  /** The IPv4 address of the only interface to use. */
  interface?: string;
  /** The address to bind to. A socket that is bound to an interface's own address would receive no multicast. */
  bind?: string;
}
