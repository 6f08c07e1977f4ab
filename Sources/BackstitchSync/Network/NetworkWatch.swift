/// Watches the network of the system for a ``NetworkMonitor``, from its making to its end.
package protocol NetworkWatch: AnyObject, Sendable {
    /// Stops, and gives back what the system has lent. Nothing is told any more that begins after it.
    func end()
}

/// Begins to watch. The path is told soon, and again whenever it may have changed: in order, from a queue or a task of
/// the watch's own, and never before the call has returned.
package typealias NetworkWatchMaker =
    @Sendable (_ tell: @escaping @Sendable (NetworkPath) -> Void) -> any NetworkWatch

/// Watches by what this system has for it.
let systemNetworkWatch: NetworkWatchMaker = { tell in
    #if canImport(Network)
    return PathWatch(tell)
    #elseif os(Linux)
    return NetlinkWatch(tell)
    #else
    return UnknownNetwork(tell)
    #endif
}

#if !canImport(Network) && !os(Linux)
/// The watch of systems that do not tell.
private final class UnknownNetwork: NetworkWatch {
    init(_ tell: @escaping @Sendable (NetworkPath) -> Void) { Task { tell(NetworkPath(.unknown)) } }

    func end() {}
}
#endif
