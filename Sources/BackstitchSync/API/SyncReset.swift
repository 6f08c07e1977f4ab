import Backstitch

/// An event after which a synced store and the server's data are no longer in step.
public enum SyncReset: Sendable, Hashable {
    /// Another user has signed in.
    case accountChanged(from: String, to: String)
    /// Nobody is signed in any more.
    case signedOut(from: String)
    /// The zone is gone.
    case zoneDeleted
    /// The zone is gone because the user removed the program's data from the server.
    case zonePurged
    /// The zone was deleted, and another device has made it anew.
    case zoneReset
    /// A zone that the store has beside its main one is gone, by ``SyncController/deleteZone(named:)`` of another
    /// device for instance, whether one of its name was made since or not. Has the name that the program knows.
    case furtherZoneDeleted(String)
}

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

/// The rule for what to do after a ``SyncReset``: one action for all of them, or code of the program that decides.
///
/// ```swift
/// .syncResetPolicy: "keep"
/// .syncResetPolicy: SyncResetPolicy.ask { reset in
///     switch reset {
///     case .accountChanged: await askUser("Keep these notes for the new account?") ? .keep : .wipe
///     default: .keep
///     }
/// }
/// ```
/// | | `keep` | `wipe` | `stop` |
/// |---|---|---|---|
/// | another user signs in | everything here goes to that user too | what is that user's comes | sync stops |
/// | nobody is signed in | everything stays, and waits | everything here goes | everything stays, and waits |
/// | the zone was deleted, or made anew by another device | it is filled again from here | everything here goes | sync stops |
/// | the user removed the data from the server | it is filled again from here | everything here goes | sync stops |
/// | a further zone was deleted | it is made again, and filled from here | its objects here go | sync stops |
///
/// Unless the option is given, `keep` holds, but a removal by the user stops sync: what was removed on purpose is not
/// uploaded again without asking. So nothing is ever lost by default, but for the objects of a further zone that
/// somebody has deleted as such: there `wipe` holds.
public struct SyncResetPolicy: Sendable {
    /// Looks at what happened, and says what to do; the cycle waits for it.
    public typealias Handler = @Sendable (SyncReset) async -> SyncResetAction

    let action: Handler

    /// The same for all.
    public static func always(_ action: SyncResetAction) -> SyncResetPolicy { SyncResetPolicy { _ in action } }

    /// The program decides.
    public static func ask(_ handler: @escaping Handler) -> SyncResetPolicy { SyncResetPolicy(action: handler) }

    static let standard = SyncResetPolicy { reset in
        switch reset {
        case .zonePurged: .stop
        case .furtherZoneDeleted: .wipe
        case .accountChanged, .signedOut, .zoneDeleted, .zoneReset: .keep
        }
    }
}

extension SyncReset: CustomStringConvertible {
    /// The event, in words.
    public var description: String {
        switch self {
        case .accountChanged(let old, let new): "the user is \(new) now, and was \(old)"
        case .signedOut(let user): "\(user) has signed out"
        case .zoneDeleted: "the zone was deleted on the server"
        case .zonePurged: "the user has removed the data from the server"
        case .furtherZoneDeleted(let name): "the zone \"\(name)\" was deleted on the server"
        case .zoneReset: "the zone was deleted on the server and made anew by another device"
        }
    }
}
