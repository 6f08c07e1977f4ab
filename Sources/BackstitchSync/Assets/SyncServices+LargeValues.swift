import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

// Values that are too large for their record are sent as assets. On the way back their bytes are put into the record
// before it is read. Until the bytes are here the record is parked, so that the object is never shown or sent without
// them.
extension SyncServices {
    /// The most bytes of large values in memory together; a single larger one is allowed.
    private static let mostBytes: Int64 = 64 << 20
    /// The most records that are completed together.
    private static let mostRecords = 50
    /// The time until a record whose bytes could not be downloaded is tried again, in milliseconds.
    private static let pause: Int64 = 60_000

    /// Applies the records that wait for the bytes of large values.
    func bringLargeValues() async throws -> AppliedChanges {
        var applied = AppliedChanges()
        var tries = 0
        while true {
            let (names, generation) = try await takeAwaited()
            guard !names.isEmpty else { return applied }
            var (news, failures, rest): ([RemoteChange], [String: String], [String]) = ([], [:], [])
            var size: Int64 = 0
            for (name, record) in try await zip(names, client.records(named: names)) {
                guard let record else {
                    news.append(RemoteChange(deleted: name, zone: settings.zone))
                    continue
                }
                let more = largeAssets(of: record).reduce(0) { $0 + $1.asset.size }
                guard size == 0 || size + more <= Self.mostBytes else {
                    rest.append(name)
                    continue
                }
                do {
                    news.append(RemoteChange(try await completing(record), zone: settings.zone))
                    size += more
                } catch let error where !(error is CancellationError) {
                    failures[name] = SyncFailure(any: error).error.message
                }
            }
            guard let result = try await apply(news, failures, rest, at: generation) else {
                tries += 1
                guard tries < 20 else { throw SyncGeneration.superseded }
                try await release(names)
                continue
            }
            applied.add(result)
        }
    }

    /// Returns the next records to complete, with the present sync generation. They are not tried again for a while.
    private func takeAwaited() async throws -> (names: [String], generation: Int64) {
        let now = time.milliseconds()
        return try await onStore { store in
            let due = try store.readJournal { journal in
                // A time far ahead was noted by another clock.
                try journal.notes(.awaitedBytes).filter { $0.value <= now || $0.value > now + Self.pause }
                    .prefix(Self.mostRecords).map(\.subject)
            }
            guard !due.isEmpty else { return ([], 0) }
            return try store.writeJournal(author: SyncAuthor.name) { journal in
                for name in due { try journal.setNote(.awaitedBytes, of: name, to: now + Self.pause) }
                return (due, try journal.generation())
            }
        }
    }

    private func release(_ names: [String]) async throws {
        try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for name in names where try journal.hasNote(.awaitedBytes, of: name) {
                    try journal.setNote(.awaitedBytes, of: name, to: 0)
                }
            }
        }
    }

    /// - Returns: nil if the sync generation has changed since the records were fetched.
    private func apply(
        _ news: [RemoteChange], _ failures: [String: String], _ rest: [String], at generation: Int64
    ) async throws -> AppliedChanges? {
        try await resolving { settings in
            try await onStore { store in
                let applied = try settings.leavingOutRefused { settings in
                    try settings.generation.write(to: store) { journal -> AppliedChanges? in
                        guard try journal.generation() == generation else { return nil }
                        for name in rest { try journal.setNote(.awaitedBytes, of: name, to: 0) }
                        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
                        applier.knownTags = { _ in .apply }
                        var applied = try applier.apply(news)
                        for (name, reason) in failures.sorted(by: { $0.key < $1.key }) {
                            let record = try journal.note(.parked, of: name)?.record
                            try journal.setNote(.parked, of: name, to: ParkedNote(reason: reason, record: record))
                            applied.parked.append(
                                ParkedRecord(recordName: name, recordType: record?.recordType, reason: reason))
                        }
                        return applied
                    }
                }
                if let applied {
                    announce(applied.changes)
                    reading.note(applied, inZone: settings.zoneNumber, isFeed: false)
                }
                return applied
            }
        }
    }

    /// Returns the fields of a record whose values are in assets.
    private func largeAssets(of record: WireRecord) -> [(column: ResolvedProperty, field: String, asset: WireAsset)] {
        guard let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) }) else { return [] }
        return entity.largeColumns.compactMap { name, column in
            guard !entity.keeps(column), case .asset(let asset)? = record.value(name),
                record.value(entity.wireName(of: column.name)) == nil
            else { return nil }
            return (column, entity.wireName(of: column.name), asset)
        }
    }

    /// Returns a record with the bytes of its large values in their fields.
    ///
    /// - Throws: ``SyncFailure``, or ``BackstitchError/Code/asset`` when the server does not have the bytes, or has
    ///   others.
    func completing(_ record: WireRecord) async throws -> WireRecord {
        var record = record
        for (column, field, asset) in largeAssets(of: record) {
            // The decoder reports an asset that is too large.
            if AssetReference.sizeFault(asset.size, limit: settings.largestAsset) != nil { continue }
            record.fields[field] = .bytes(try await bytes(of: asset, column, record))
        }
        return record
    }

    /// Does the same for records that a push met in conflict. If the bytes of one are not available, its conflict is
    /// handled later.
    func completingConflicts(of reply: PushReply) async throws -> PushReply {
        guard settings.model.hasLargeColumns else { return reply }
        var reply = reply
        var size: Int64 = 0
        for (position, answer) in reply.answers.enumerated() {
            guard case .conflict(let record?) = answer else { continue }
            let more = largeAssets(of: record).reduce(0) { $0 + $1.asset.size }
            if more == 0 { continue }
            guard size == 0 || size + more <= Self.mostBytes else {
                reply.answers[position] = .later(nil)
                continue
            }
            do { reply.answers[position] = .conflict(try await completing(record)) } catch let error
                where !(error is CancellationError)
            {
                reply.answers[position] = .later(Self.pause)
            }
            size += more
        }
        return reply
    }

    private func bytes(of asset: WireAsset, _ column: ResolvedProperty, _ record: WireRecord) async throws -> Data {
        if let data = try await bytesHere(of: asset, column, record) { return data }
        let reference = AssetReference(asset, isHash: client.hasExtensions)
        defer { transfers.setFraction(nil, of: reference) }
        // The bytes are a part of the record, so they have priority over assets.
        let content = try await turns.asking(for: reference) {
            var content: AssetContent?
            if let url = asset.downloadURL { content = try await read(url, reference) }
            if content == nil, let url = try await address(of: asset, column, record) {
                content = try await read(url, reference)
            }
            return content
        }
        let place = "\(record.recordName).\(column.name)"
        guard let content else { throw Self.lacksBytes(place) }
        let data = try await onStore { [partials] _ in
            // The partial file is no longer needed, even if the bytes are wrong.
            defer { try? partials.remove(reference) }
            return try content.data()
        }
        let isRight =
            Int64(data.count) == asset.size
            && (!client.hasExtensions || AssetChecksum(contentOf: data).wire == asset.fileChecksum)
        guard isRight else {
            throw BackstitchError(.asset, "the server has sent other bytes for \(place) than its record names")
        }
        return data
    }

    /// Returns the bytes that the object has here, if they are the same.
    private func bytesHere(
        of asset: WireAsset, _ column: ResolvedProperty, _ record: WireRecord
    ) async throws -> Data? {
        guard client.hasExtensions, column.attribute?.isEncrypted == false,
            let entity = record.recordType.flatMap({ settings.model.entity(ofType: $0) })
        else { return nil }
        let key = RecordName.key(of: record.recordName, zone: settings.zone).key
        return try await onStore { store in
            let rows = try store.readJournal { try $0.rows(of: entity.entity, keys: [key]) }
            guard rows.count == 1, !rows.isNull(0, column.slot) else { return nil }
            let data = rows.withBytes(0, column.slot) { Data($0) }
            return Int64(data.count) == asset.size && AssetChecksum(contentOf: data).wire == asset.fileChecksum
                ? data : nil
        }
    }

    private func address(
        of asset: WireAsset, _ column: ResolvedProperty, _ record: WireRecord
    ) async throws -> String? {
        guard let field = settings.model.entity(ofType: record.recordType ?? "")?.largeName(of: column) else {
            return nil
        }
        let now = try await client.records(named: [record.recordName], fields: [field]).first ?? nil
        guard case .asset(let found)? = now?.value(field), found.fileChecksum == asset.fileChecksum,
            found.size == asset.size
        else { return nil }
        return found.downloadURL
    }

    private static func lacksBytes(_ place: String) -> SyncFailure {
        SyncFailure(.permanent, BackstitchError(.asset, "the server does not have the bytes of \(place)"))
    }
}
