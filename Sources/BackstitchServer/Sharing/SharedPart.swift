import BackstitchSupport
import CloudWire

/// A share of a record, as one who takes part may use it.
struct SharedPart: Sendable, Hashable {
    var number: Int64
    /// The names of the share's record and of the record that is shared.
    var share: String
    var root: String
    /// The last sequence at which anything changed of what the share shows.
    var head: Int64
    /// The sequence from which on the user takes part.
    var since: Int64
    var kind: WireParticipant.Kind
    var permission: SharePermission
}
