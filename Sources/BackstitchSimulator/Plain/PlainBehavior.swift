/// How a plain server does what CloudKit Web Services leaves open, or what servers of it were seen to do.
package struct PlainBehavior: Sendable, Hashable, CustomStringConvertible {
    /// The lifetime of web tokens.
    package enum WebTokens: String, Sendable, Hashable, CaseIterable {
        /// They stay.
        case fixed
        /// Each answer brings a new one, and the one before is good once more.
        case rotating
        /// Each is good once.
        case singleUse
    }

    /// A record that exists is EXISTS for who creates it, not CONFLICT.
    package var saysExists = false
    /// A request of which one part fails has the status 400, not 200.
    package var failsWhole = false
    /// Before each page comes an empty one.
    package var sendsEmptyPages = false
    /// A list without elements is left out of an answer.
    package var leavesOutLists = false
    /// A key that is not documented is a BAD_REQUEST.
    package var refusesUnknownKeys = true
    /// Results of a modification come in another order.
    package var shufflesResults = false
    /// Somebody who reads from the beginning is told of deletions.
    package var tellsOldDeletions = true
    /// There are subscriptions and the long poll.
    package var hasSubscriptions = true
    /// A subscription is given back without how it notifies.
    package var forgetsNotificationInfo = false
    /// Everybody may change what anybody has published, and not its maker alone.
    package var everybodyWrites = false
    package var webTokens = WebTokens.fixed
    /// Records of a page, at most.
    package var page = 200
    /// Operations of a request, at most.
    package var operations = 200

    /// The behaviour that the documents suggest.
    package init() {}

    package var description: String {
        let flags = [
            ("EXISTS", saysExists), ("whole requests fail", failsWhole), ("empty pages", sendsEmptyPages),
            ("missing lists", leavesOutLists), ("strict keys", refusesUnknownKeys), ("shuffled", shufflesResults),
            ("no old deletions", !tellsOldDeletions), ("no subscriptions", !hasSubscriptions),
            ("bare subscriptions", forgetsNotificationInfo),
            ("public data is everybody's", everybodyWrites),
        ]
        return flags.filter(\.1).map(\.0).joined(separator: ", ") + "; tokens \(webTokens.rawValue), page \(page)"
    }
}
