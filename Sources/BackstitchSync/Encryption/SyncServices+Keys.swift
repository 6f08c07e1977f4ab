import Backstitch
import CloudWire
import Foundation

extension SyncServices {
    /// Runs `work`, which looks up keys. If a key was not requested yet, requests it and runs `work` again.
    func askingForKeys<Result>(_ work: () async throws -> Result) async throws -> Result {
        while true {
            do { return try await work() } catch let missed as UnaskedKey {
                await missed.ring.ask(for: missed.id)
            }
        }
    }

    /// Asks the provider again for missing keys, before a pull begins with `work`.
    func startingWithKeys<Result>(_ work: () async throws -> Result) async throws -> Result {
        settings.ring?.forgetFailures()
        await settings.ring?.askForCurrent()
        return try await work()
    }

    /// The keys of the further zones, with their current keys requested. Empty in a model without encrypted attributes.
    func furtherRings() async throws -> [Int64: EncryptionKeyRing] {
        guard settings.ring != nil else { return [:] }
        var rings: [Int64: EncryptionKeyRing] = [:]
        let zones = try await onWholeStore { try $0.readJournal { try $0.zones() } }
        for (zone, name) in zones {
            let ring = services(of: zone, named: name).settings.ring
            await ring?.askForCurrent()
            rings[zone] = ring
        }
        return rings
    }

    /// The content of an asset's envelope. Asks the provider for its key if needed.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` with the reason if it cannot be opened.
    func open(_ envelope: Data, of id: ObjectID, key: String, _ recordName: String) async throws -> SealedAsset {
        guard let entity = settings.model.entity(named: id.entityName), let ring = settings.ring else {
            throw BackstitchError(.asset, "\(id).\(key) is encrypted, and there are no keys", objectID: id, key: key)
        }
        let fields = SealedFields(ring: ring, recordName: recordName, recordType: entity.wireName)
        let content = try await askingForKeys {
            do throws(RecordFault) {
                return try fields.open(envelope, field: entity.envelopeName(of: key)).content
            } catch {
                if case .unasked(let id)? = error.key { throw UnaskedKey(id: id, ring: ring) }
                throw BackstitchError(.asset, "\(id).\(key): \(error.reason)", objectID: id, key: key)
            }
        }
        guard case .asset(let asset) = content else {
            throw BackstitchError(.asset, "\(id).\(key) is not an encrypted asset", objectID: id, key: key)
        }
        return asset
    }
}

extension ZoneWork {
    /// Adds the work for keys: records that wait for a key, and records under an old key.
    mutating func addKeys(_ ring: EncryptionKeyRing, _ model: SyncedModel, _ journal: ZoneReader) throws {
        hasNews = try hasNews || !journal.subjects(of: .awaitedKey).isEmpty
        hasUnsent = try hasUnsent || KeyRotation(model: model, ring: ring, zoneNumber: zone).isDue(journal)
    }
}
