import Backstitch

/// The state of a store's encryption, and the public keys of the participants in its shares.
public struct SyncEncryption: Sendable, SyncSubject {
    let sync: SyncController

    /// Returns the name of the current key, the missing keys, and the progress of a rotation. It asks the key provider,
    /// not the server.
    ///
    /// ```swift
    /// let status = try await sync.encryption.status()
    /// if !status.missingKeys.isEmpty { askForPassphrase() }
    /// ```
    /// After a key has arrived, ``SyncController/sync(reason:)`` or ``SyncController/trigger(_:)`` fetches the records
    /// that waited for it; otherwise the next cycle does.
    ///
    /// - Throws: The errors of the store.
    /// - Complexity: O(records with encrypted values).
    public func status() async throws -> EncryptionStatus {
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
    /// Counts the records that are encrypted with a replaced key of their zone.
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
