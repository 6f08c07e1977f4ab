import Backstitch
import BackstitchSupport

/// The store's knowledge of the zone's life. A zone that is deleted and made again begins a new life.
struct KnownLife: Sendable, Hashable {
    /// The server's name for this life.
    var incarnation: String?
    /// The mark of this device's subscription, if the server does not name lives.
    var mark: String?

    /// Whether the zone on the server certainly has another life now.
    func isOver(_ now: ZoneLife) -> Bool {
        switch now {
        case .named(let name): incarnation != nil && incarnation != name
        case .marked(let other): mark != nil && mark != other
        case .unsubscribed: mark != nil
        case .unknown: false
        }
    }

    /// Whether a full read is certainly one of the known zone, after it has met this number of known records. Until
    /// this is certain, no record is deleted here because the read did not meet it.
    ///
    /// Tags prove nothing, since a refilled zone may give the same ones. A mark alone proves nothing either if all
    /// known records are missing: it is not documented that a server deletes subscriptions with their zone.
    func isProven(byMeeting known: Int) -> Bool { incarnation != nil || mark != nil && known > 0 }
}

extension JournalReading {
    /// Whether any record was ever on the server.
    func hasKnownRecords() throws -> Bool { try !knownRecords(among: allRecordKeys()).isEmpty }

    /// Checks that the server still has all known records.
    ///
    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` if a known record is missing from `met`. The zone may then
    ///   be another one.
    func requireKnownRecords(among met: Set<ObjectKey>) throws {
        guard try !knownRecords(among: allRecordKeys().filter { !met.contains($0) }).isEmpty else { return }
        throw SyncFailure.otherZone(
            "the zone lacks records that were read from it before, so it may have been deleted and made anew")
    }

    /// Checks the creation dates of the anchors.
    ///
    /// - Throws: As ``requireKnownRecords(among:)`` if an anchor was made anew.
    func requireAnchors(among news: [RemoteChange]) throws {
        guard try zoneAnchors().isOfAnotherLife(news) else { return }
        throw SyncFailure.otherZone("a record of the zone was made anew, perhaps together with the zone")
    }

    /// Some of these records that the server has had, if there are any.
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
    /// Notes that the zone was made, with its present life.
    func noteSetUp(incarnation: String?, _ mark: ZoneLife) throws {
        try set(.setUp, to: true)
        // A token in the store belongs to an earlier life of the zone, and so may a known life. Both must stay, so that
        // the change of life is noticed.
        guard try !has(.token), try knownLife() == KnownLife() else { return }
        try set(.incarnation, to: incarnation)
        if case .marked(let mark) = mark { try set(.mark, to: mark) }
    }
}

extension SyncFailure {
    /// The error for a zone that is not the one read before, or may not be.
    static func otherZone(_ message: String) -> SyncFailure {
        SyncFailure(.zoneNotFound, BackstitchError(.network, message))
    }
}
