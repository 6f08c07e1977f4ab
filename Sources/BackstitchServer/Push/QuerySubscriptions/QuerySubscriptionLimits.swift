/// The ceilings of query subscriptions. A push pays for the subscriptions of others, so its work is bounded. Beyond the
/// bound, subscriptions are told that something may have happened, since a superfluous hint does no harm.
enum QuerySubscriptionLimits {
    /// Query subscriptions of a user in a database.
    static let ofUser = 20
    /// Query subscriptions of all users to one type of records in a database.
    static let ofType = 2_000
    /// Units of work of a push, each about a microsecond. To try a subscription on a record costs one unit. A filter
    /// costs one unit, and more for a long value.
    static let work = 50_000
    /// Requests whose units are spent together, if their changes are tried together.
    static let requestsTogether = 16
    /// Bytes of a value compared by a filter for one unit.
    static let comparedBytes = 1_024
    /// Bytes of a value searched for words by a filter for one unit.
    static let wordBytes = 32
    /// Values of changed records by which subscriptions are looked up. If there are more, all subscriptions to the
    /// types are read.
    static let marks = 2_000
    /// Subscriptions that are found by marks.
    static let marked = 10 * ofType
    /// Fields of changed records that are examined for these values.
    static let examinedValues = 50_000
    /// Records of a push named to one subscription. If there are more, it gets one hint without names.
    static let named = 10
    /// Fields whose values a notification of one subscription shows.
    static let arguments = 16
    /// Bytes of a value shown in a notification. All values must fit into a payload of APNs.
    static let shownBytes = 256
}
