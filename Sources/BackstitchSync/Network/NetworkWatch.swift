/// Watches the system's network for a ``NetworkMonitor``, from its creation to its end.
package protocol NetworkWatch: AnyObject, Sendable {
    /// Stops the watch and releases its resources. No report begins after it.
    func end()
}

/// Begins a watch. It reports the path soon, and again whenever it may have changed. The reports are in order, come
/// from the watch's own queue or task, and never before the call has returned.
package typealias NetworkWatchMaker =
    @Sendable (_ tell: @escaping @Sendable (NetworkPath) -> Void) -> any NetworkWatch

/// Creates a watch by this system's own means.
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
/// The watch for systems without such reports.
private final class UnknownNetwork: NetworkWatch {
    init(_ tell: @escaping @Sendable (NetworkPath) -> Void) { Task { tell(NetworkPath(.unknown)) } }

    func end() {}
}
#endif
