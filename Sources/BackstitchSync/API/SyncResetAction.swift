import Backstitch

/// The action to take after a ``SyncReset``.
public enum SyncResetAction: String, Sendable, Hashable, CaseIterable {
    /// Everything here stays, and goes to the server: into the new zone, or that of the new user.
    case keep
    /// Everything here goes, unsent changes too, and what the server has comes in its place.
    case wipe
    /// Nothing changes, and sync stops until ``SyncController/resume()`` or ``SyncController/resume(taking:)``. After a
    /// sign-out it waits for the next sign-in anyway.
    case stop
}
