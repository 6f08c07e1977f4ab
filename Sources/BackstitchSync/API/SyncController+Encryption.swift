import Backstitch

/// How the encrypted attributes of a store stand; see ``SyncController/encryptionStatus()``.
public struct EncryptionStatus: Sendable, Hashable {
    /// The name of the key with which values of the main zone are encrypted; nil where there is none.
    public var currentKeyID: String?
    /// Why nothing of the main zone can be encrypted; nil where it can, and in a store of the shared database, since
    /// that has no main zone.
    public var problem: String?
    /// The keys that records wait for, since they are not here or do not fit, with the number of records. The records
    /// themselves are among ``SyncController/parkedRecords()``.
    public var missingKeys: [String: Int]
    /// How many records are still under keys that were replaced.
    public var recordsToRotate: Int
    /// Why the keys of further zones are not as they should be, by the names of the zones in the program: the owner's
    /// device has not sealed them yet, the private key is not here, the record on the server is none of the owner's, or
    /// there is no key to encrypt with.
    public var zoneProblems: [String: String]

    /// A state.
    public init(
        currentKeyID: String?, problem: String? = nil, missingKeys: [String: Int] = [:], recordsToRotate: Int = 0,
        zoneProblems: [String: String] = [:]
    ) {
        self.currentKeyID = currentKeyID
        self.problem = problem
        self.missingKeys = missingKeys
        self.recordsToRotate = recordsToRotate
        self.zoneProblems = zoneProblems
    }
}

extension SyncController {
    /// Tells which key values are encrypted with, which keys are missing, and how far a rotation has come. Asks the
    /// provider, and not the server.
    ///
    /// ```swift
    /// let status = try await sync.encryptionStatus()
    /// if !status.missingKeys.isEmpty { askForPassphrase() }
    /// ```
    /// After a key has come, `sync()` or ``trigger(_:)`` brings what waited for it; else the next cycle does.
    ///
    /// - Throws: What the store throws.
    /// - Complexity: O(records with encrypted values).
    public func encryptionStatus() async throws -> EncryptionStatus {
        guard let ring = services.settings.ring else { return EncryptionStatus(currentKeyID: nil) }
        var rings = try await services.furtherRings()
        var status = EncryptionStatus(currentKeyID: nil)
        if hasMainZone {
            await ring.askForCurrent()
            rings[0] = ring
            switch ring.current {
            case .success(let key)?: status.currentKeyID = key.id
            case .failure(let fault)?: status.problem = fault.reason
            case nil: break
            }
        }
        let replaced = rings.mapValues(\.replaced)
        let (missing, count, names) = try await services.onWholeStore { store in
            try store.readJournal { journal in
                var missing: [String: Int] = [:]
                for zone in replaced.keys {
                    for (_, key) in try ZoneReader(journal, zone).notes(.awaitedKey) {
                        missing[key.id, default: 0] += 1
                    }
                }
                return (missing, try journal.countOfSealings(under: replaced), try journal.zones())
            }
        }
        status.missingKeys = missing
        status.recordsToRotate = count
        status.zoneProblems = services.zoneKeys?.problems ?? [:]
        for (zone, name) in names {
            guard status.zoneProblems[name] == nil, case .failure(let fault)? = rings[zone]?.current else { continue }
            status.zoneProblems[name] = fault.reason
        }
        return status
    }
}

extension JournalReading {
    /// How many records are under one of their zone's replaced keys.
    fileprivate func countOfSealings(under replaced: [Int64: Set<String>]) throws -> Int {
        guard replaced.values.contains(where: { !$0.isEmpty }) else { return 0 }
        var count = 0
        for part in 0..<SealingSubject.parts {
            let found = try sealings(ofPart: part)
            let zones = try zones(of: found.map(\.key))
            count += found.count {
                !$0.sealing.keyIDs.isDisjoint(with: replaced[zones[$0.key] ?? 0] ?? [])
            }
        }
        return count
    }
}
