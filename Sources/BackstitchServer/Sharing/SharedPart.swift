import BackstitchSupport
import CloudWire

/// A share of a record, with the rights of one participant.
struct SharedPart: Sendable, Hashable {
    var number: Int64
    /// The names of the share's own record and of its root.
    var share: String
    var root: String
    /// The sequence of the last change of the records in the share.
    var head: Int64
    /// The sequence at the time of the user's joining.
    var since: Int64
    var kind: WireParticipant.Kind
    var permission: SharePermission
}
