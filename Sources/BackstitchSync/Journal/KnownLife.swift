import Backstitch
import BackstitchSupport

/// By what a store knows the life of the zone with which it is in step.
struct KnownLife: Sendable, Hashable {
    /// The name that the server gives it.
    var incarnation: String?
    /// The mark of our subscription, with a server that gives none.
    var mark: String?

    /// Whether the life that the server has now is certainly another one.
    func isOver(_ now: ZoneLife) -> Bool {
        switch now {
        case .named(let name): incarnation != nil && incarnation != name
        case .marked(let other): mark != nil && mark != other
        case .unsubscribed: mark != nil
        case .unknown: false
        }
    }

    /// Whether a full read that has met so many records which were known before is certainly one of the known zone.
    /// Until that is sure nothing is deleted because it was not met.
    ///
    /// Tags prove nothing, since a zone that is filled again may give the same ones. Nor does a mark alone, where
    /// nothing of what was known is there: that a server deletes subscriptions with their zone is not documented.
    func isProven(byMeeting known: Int) -> Bool { incarnation != nil || mark != nil && known > 0 }
}

extension JournalReading {
    /// Whether the server has had any record.
    func hasKnownRecords() throws -> Bool { try !knownRecords(among: allRecordKeys()).isEmpty }

    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` when a record that the server has had is not among those
    ///   that it has: it may be so because the zone is another one.
    func requireKnownRecords(among met: Set<ObjectKey>) throws {
        guard try !knownRecords(among: allRecordKeys().filter { !met.contains($0) }).isEmpty else { return }
        throw SyncFailure.otherZone(
            "the zone lacks what was read from it before, and may have been deleted and made anew")
    }

    /// - Throws: As ``requireKnownRecords(among:)`` when an anchor was made anew.
    func requireAnchors(among news: [RemoteChange]) throws {
        guard try zoneAnchors().isOfAnotherLife(news) else { return }
        throw SyncFailure.otherZone("a record of the zone was made anew, and may have been with the zone")
    }

    /// Some of those that the server has had, if there are any.
    private func knownRecords(among keys: [ObjectKey]) throws -> [ObjectKey] {
        for chunk in keys.parts(of: 1_000) {
            let known = try recordStates(for: Array(chunk)).values.filter { $0.changeTag != nil }
            if !known.isEmpty { return known.map(\.objectID.key) }
        }
        return []
    }

    func knownLife() throws -> KnownLife {
        KnownLife(incarnation: try value(of: .incarnation), mark: try value(of: .mark))
    }
}

extension JournalWriting {
    /// Notes that the zone was made, and which life of it that is.
    func noteSetUp(incarnation: String?, _ mark: ZoneLife) throws {
        try set(.setUp, to: true)
        // With a token in the store it belongs to an earlier life of the zone, which shall show; so shall one that is
        // known.
        guard try !has(.token), try knownLife() == KnownLife() else { return }
        try set(.incarnation, to: incarnation)
        if case .marked(let mark) = mark { try set(.mark, to: mark) }
    }
}

extension SyncFailure {
    /// The zone is not the one that was read before, or may not be.
    static func otherZone(_ message: String) -> SyncFailure {
        SyncFailure(.zoneNotFound, BackstitchError(.network, message))
    }
}
