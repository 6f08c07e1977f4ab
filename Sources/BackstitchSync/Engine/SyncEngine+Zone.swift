extension SyncEngine {
    /// The engine's knowledge of the zone: what must be done before a cycle works there, and whether it may send before
    /// it has read.
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
    /// Any needs go with any reading: credentials may change, and the zone be erased, while a pull ends.
    struct ZoneKnowledge: Sendable {
        /// A step before a cycle can read and send.
        enum Need: Hashable, Sendable {
            /// To find out whose zone it is.
            case account
            /// To make the zone and the subscription.
            case zone
        }

        /// How well the zone is known as it is now.
        enum Reading: Sendable {
            /// Nothing is known of it. It is read before anything is sent: a push that cannot say how far its sender
            /// has read would fall on any life of the zone.
            case unread
            /// A push may have been sent whose answer did not come, or was not taken since somebody else has synced the
            /// store: by this process, or by one before it. Others may have changed and deleted its records by now, so
            /// the next push comes after a pull.
            case unanswered
            /// A pull has come to its end.
            case read
        }

        private(set) var needs: Set<Need> = []
        private(set) var reading: Reading
        /// Whether a cycle with a pull has come to its end, ever.
        private(set) var isFirstSyncComplete: Bool

        init(isSetUp: Bool, isFirstSyncComplete: Bool, isUnread: Bool, isAccountKnown: Bool) {
            reading = isUnread ? .unread : .read
            self.isFirstSyncComplete = isFirstSyncComplete
            if !isSetUp { needs.insert(.zone) }
            if !isAccountKnown { needs.insert(.account) }
        }

        /// Whether changes can be sent without reading before.
        var maySendUnread: Bool { isFirstSyncComplete && reading == .read }

        /// Somebody else may be signed in.
        mutating func credentialsChanged() { needs.insert(.account) }

        mutating func accountChecked() { needs.remove(.account) }

        /// The zone has to be made, or found, again.
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

        /// Another process has synced the store, and may have died with a push under way.
        mutating func tookOver(isSetUp: Bool, isFirstSyncComplete: Bool) {
            if isSetUp { setUp() } else { zoneLost() }
            self.isFirstSyncComplete = isFirstSyncComplete
            answerLost()
        }
    }
}
