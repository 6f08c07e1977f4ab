/// The ceilings of query subscriptions. A push pays for those of others, so what it looks at is bounded; where that
/// ends subscriptions are told that something may have happened, since a hint too many does no harm.
enum QuerySubscriptionLimits {
    /// Query subscriptions of a user in a database.
    static let ofUser = 20
    /// Query subscriptions of all users to one type of records in a database.
    static let ofType = 2_000
    /// Units of work that a push spends on them, each about a microsecond: a subscription that is tried on a record is
    /// one, a filter is one and what its value is long.
    static let work = 50_000
    /// Bytes of a value that a filter compares for a unit.
    static let comparedBytes = 1_024
    /// Bytes of a value in which a filter looks for words for a unit.
    static let wordBytes = 32
    /// Records of a push that one subscription is told by their names. Of more it is told once, without names.
    static let named = 10
    /// Fields whose values a notification of one subscription shows.
    static let arguments = 16
    /// Bytes that a notification shows of a value: all of them must fit into a payload of APNs.
    static let shownBytes = 256
}
