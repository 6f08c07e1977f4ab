extension SyncEngine {
    /// The engine's knowledge of a zone: the steps before a cycle can work there, and whether it may send before it
    /// reads.
    ///
    /// ```
    ///  needs    nothing ── credentials changed ──────────► account ── checked: the same user's ──► nothing
    ///                                                         └────── checked: another's ────► zone
    ///           nothing ── zone lost, or erased ─────────► zone ───── set up ────────────────────► nothing
    ///
    ///  reading  read ── token or zone lost ──────────────► unread ─────── pull ended ────────────► read
    ///           read, unread ── an answer did not come ──► unanswered ─── pull ended ────────────► read
    /// ```
    ///
    /// Needs and reading are independent: credentials may change, and the zone may be erased, while a pull ends.
    struct ZoneKnowledge: Sendable {
        /// A step before a cycle can read and send.
        enum Need: Hashable, Sendable {
            /// Check whether the zone belongs to another user.
            case account
            /// Create the zone and the subscription.
            case zone
        }

        /// The knowledge of the zone's present state.
        enum Reading: Sendable {
            /// The state is unknown. The zone is read before anything is sent. Otherwise the push could not name the
            /// last state that its sender has read, and could change any incarnation of the zone.
            case unread
            /// A push may have been sent whose answer was lost, or was not written because another process had synced
            /// the store. The push may be of this process or of an earlier one. Others may have changed or deleted its
            /// records since, so a pull precedes the next push.
            case unanswered
            /// A pull has ended.
            case read
        }

        private(set) var needs: Set<Need> = []
        private(set) var reading: Reading
        /// Whether a cycle with a pull has ever ended.
        private(set) var isFirstSyncComplete: Bool

        init(isSetUp: Bool, isFirstSyncComplete: Bool, isUnread: Bool, isAccountKnown: Bool) {
            reading = isUnread ? .unread : .read
            self.isFirstSyncComplete = isFirstSyncComplete
            if !isSetUp { needs.insert(.zone) }
            if !isAccountKnown { needs.insert(.account) }
        }

        /// Whether changes can be sent without a pull before.
        var maySendUnread: Bool { isFirstSyncComplete && reading == .read }

        /// Requires a check of the account, because another user may have signed in.
        mutating func credentialsChanged() { needs.insert(.account) }

        mutating func accountChecked() { needs.remove(.account) }

        /// Requires that the zone is created, or found, again.
        mutating func zoneLost() {
            needs.insert(.zone)
            isFirstSyncComplete = false
            tokenLost()
        }

        mutating func setUp() { needs.remove(.zone) }

        mutating func tokenLost() { if reading == .read { reading = .unread } }

        mutating func answerLost() { reading = .unanswered }

        mutating func pullEnded() { reading = .read }

        mutating func firstSyncEnded() { isFirstSyncComplete = true }

        /// Takes the zone over from another process, which may have ended during a push.
        mutating func tookOver(isSetUp: Bool, isFirstSyncComplete: Bool) {
            if isSetUp { setUp() } else { zoneLost() }
            self.isFirstSyncComplete = isFirstSyncComplete
            answerLost()
        }
    }
}
