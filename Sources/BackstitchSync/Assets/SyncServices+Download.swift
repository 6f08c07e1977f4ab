import Backstitch
import CloudWire
import Foundation

extension SyncServices {
    /// Downloads the assets that are noted as wanted.
    ///
    /// - Returns: How many could not be had; they stay noted. And the milliseconds until the first of them is to be
    ///   tried again at the latest; nil where none waits for its own time.
    func fetchMissingAssets() async -> (missing: Int, wait: Int64?) {
        do {
            let (wanted, pauses) = try await onStore { [settings] store in
                let wanted = try store.wantedAssets(settings)
                return (wanted, try wanted.isEmpty ? nil : store.readJournal { try TransferPauses(in: $0) })
            }
            let now = clock.milliseconds()
            let due = wanted.filter { $0.isDue(at: now) && pauses?.hold($0.place) != true }
            let results = try await transfers.expecting(due.map(\.reference)) {
                try await inParallel(due.count) { index in
                    do {
                        try await fetch(due[index])
                        return true
                    } catch is CancellationError {
                        return false
                    } catch let error as BackstitchError where error.code == .syncPaused {
                        return false
                    } catch {
                        try await note(error, of: due[index])
                        return false
                    }
                }
            }
            let missing = wanted.count - results.count { $0 }
            return (missing, try missing == 0 ? nil : await waitForFirstTry(beside: pauses))
        } catch {
            // The store could not be read; the next cycle asks again.
            return (1, nil)
        }
    }

    /// The milliseconds until the first asset is to be tried again at the latest, of those that could not be had and
    /// whose transfers do not rest.
    private func waitForFirstTry(beside pauses: TransferPauses?) async throws -> Int64? {
        let now = clock.milliseconds()
        return try await onStore { store in
            try store.readJournal(WantedAsset.all).lazy.filter { pauses?.hold($0.place) != true }
                .compactMap(\.failure).filter { $0.nextTry > now }.map { $0.tryBy - now }.min()
        }
    }

    private func fetch(_ wanted: WantedAsset) async throws {
        try await download(
            wanted.reference, of: wanted.objectID, key: wanted.key, wanted.recordName, wanted.downloadURL)
        try await change(wanted) { _ in nil }
    }

    private func note(_ error: any Error, of wanted: WantedAsset) async throws {
        let now = clock.milliseconds()
        try await change(wanted) { note in
            var note = note
            note.failed(error, at: now)
            return note
        }
    }

    /// Changes the note of a wanted asset, or removes it. Another version of the record may want other bytes by now.
    private func change(
        _ wanted: WantedAsset, _ body: @escaping @Sendable (WantedAsset) -> WantedAsset?
    ) async throws {
        try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                guard let note = try journal.note(.wanted, of: wanted.place),
                    note.reference == wanted.reference
                else { return }
                try journal.setNote(.wanted, of: wanted.place, to: body(note))
            }
        }
    }

    /// Gets the bytes of an asset, keeps them, and tells contexts.
    ///
    /// - Throws: ``SyncFailure`` when the server cannot be reached or does not have them,
    ///   ``BackstitchError/Code/asset`` when what came is not what the reference names,
    ///   ``BackstitchError/Code/syncPaused`` when its transfers come to rest.
    func download(
        _ reference: AssetReference, of id: ObjectID, key: String, _ recordName: String, _ knownURL: String?
    ) async throws {
        let place = AssetPlace(key: id.key, attribute: key)
        while true {
            if stops.isPaused(place) { throw TransferPauses.error(id, key) }
            do {
                return try await downloads.wait(for: reference) { [self] in
                    try await fetchBytes(reference, of: id, key: key, recordName, knownURL)
                }
            } catch is DownloadInterrupted {
                // Others may want the same bytes, whose transfers go on.
                continue
            }
        }
    }

    private func fetchBytes(
        _ reference: AssetReference, of id: ObjectID, key: String, _ recordName: String, _ knownURL: String?
    ) async throws {
        if let fault = AssetReference.sizeFault(reference.size, limit: settings.largestAsset) {
            throw BackstitchError(.asset, "\(id).\(key) is an asset \(fault)", objectID: id, key: key)
        }
        transfers.setFraction(0, of: reference)
        defer { transfers.setFraction(nil, of: reference) }
        var content: AssetContent?
        if isEncrypted(key, of: id) {
            content = try await sealedContent(reference, of: id, key: key, recordName, knownURL)
        } else if let knownURL {
            content = try await read(knownURL, reference)
        }
        if content == nil, !isEncrypted(key, of: id),
            let url = try await address(of: reference, id, recordName, wireName(of: key, id))
        {
            content = try await read(url, reference)
        }
        guard let content else {
            throw SyncFailure(
                .permanent,
                BackstitchError(.asset, "the server does not have the bytes of \(id).\(key)", objectID: id, key: key))
        }
        try await onStore { [settings, partials] _ in
            // Whether they are the right ones or not, they are not needed any more.
            defer { try? partials.remove(reference) }
            switch content {
            case .data(let data): try settings.assets.accept(data, as: reference)
            case .file(let file): try settings.assets.adopt(file.url, as: reference)
            }
            announce(StoreChanges(updated: [id]))
        }
        transfers.downloaded(reference)
    }

    private func isEncrypted(_ key: String, of id: ObjectID) -> Bool {
        settings.model.model.entity(named: id.entityName)?.property(named: key)?.attribute?.isEncrypted == true
    }

    private func wireName(of key: String, _ id: ObjectID) -> String {
        settings.model.entity(named: id.entityName)?.wireName(of: key) ?? key
    }

    /// The bytes at an address; nil when it has run out. Large ones come piece by piece, each of which goes to the file
    /// of what has come, and stays there when the rest does not come.
    ///
    /// - Parameter told: The asset whose progress that is, where the bytes are those of its ciphertext.
    func read(
        _ url: String, _ reference: AssetReference, telling told: AssetReference? = nil
    ) async throws -> AssetContent? {
        let url = url.replacing("${f}", with: "asset")
        let size = reference.size
        guard size > client.pace(.pieces).share(of: Self.pieceSize) else {
            return try await piece(of: url, reference, telling: told ?? reference, range: nil, after: 0)
                .map(AssetContent.data)
        }
        // More than there can be is a file that another asset of that name has left.
        var start = try await onStore { [partials] _ in try partials.size(of: reference, atMost: size) }
        while start < size {
            let range = start...min(start + Int64(client.pace(.pieces).share(of: Self.pieceSize)), size) - 1
            guard
                let piece = try await piece(of: url, reference, telling: told ?? reference, range: range, after: start)
            else { return nil }
            // A server that knows no ranges sends all of it.
            if piece.count == size { return .data(piece) }
            guard piece.count == range.count else {
                throw BackstitchError(
                    .asset, "the server has sent \(piece.count) bytes of an asset where it was asked for \(range.count)"
                )
            }
            let offset = start
            start = try await onStore { [partials] _ in try partials.append(piece, to: reference, at: offset) }
        }
        return try await onStore { [partials] _ in try partials.content(of: reference) }
    }

    private func piece(
        of url: String, _ reference: AssetReference, telling told: AssetReference, range: ClosedRange<Int64>?,
        after start: Int64
    ) async throws -> Data? {
        let size = max(Int(range.map { $0.upperBound - $0.lowerBound + 1 } ?? reference.size), 1)
        let whole = max(reference.size, 1)
        let response: TransportResponse
        do {
            response = try await turns.during(told) {
                try await patiently {
                    try await client.transferAsset(
                        "GET", url, range: range,
                        timeout: client.pace(.pieces).time(client.transferTimeout(bytes: size)),
                        maximumResponse: Int(whole) + 1_024,
                        onReceive: { [transfers] received in
                            transfers.setFraction(min(Double(start + Int64(received)) / Double(whole), 1), of: told)
                        })
                }
            }
        } catch let failure as SyncFailure {
            if failure.kind == .network, failure.tookTooLong {
                client.changePace(.pieces) { $0.tookTooLong(size, smallest: Self.smallestPiece) }
            }
            throw failure
        }
        client.changePace(.pieces) { $0.succeeded(size, of: Self.pieceSize) }
        switch response.status {
        case 200, 206: return Data(response.body)
        case 400, 401, 403, 404, 410, 416, 421: return nil
        default: throw client.failure(of: response, .recordsLookup)
        }
    }

    /// Bytes of a piece. A download that is cut off loses one at most.
    private static let pieceSize = 1 << 20
    /// Bytes of a piece on the slowest of lines.
    private static let smallestPiece = 16 << 10

    /// Where the bytes can be read now; nil when the record no longer has them.
    private func address(
        of reference: AssetReference, _ id: ObjectID, _ recordName: String, _ key: String
    ) async throws -> String? {
        let zone = try await onWholeStore { try $0.readJournal { try $0.zones(of: [id.key])[id.key] ?? 0 } }
        let client = try await services(of: zone)?.client ?? client
        let record = try await patiently { try await client.records(named: [recordName], fields: [key]).first ?? nil }
        guard case .asset(let asset) = record?.value(key), reference.names(asset) else { return nil }
        return asset.downloadURL
    }
}

extension JournalingStore {
    /// The wanted assets that their objects still refer to and that are not here; notes of others are removed.
    func wantedAssets(_ settings: ApplySettings) throws -> [WantedAsset] {
        let noted = try readJournal(WantedAsset.all)
        guard !noted.isEmpty else { return [] }
        return try writeJournal(author: SyncAuthor.name) { journal in
            var wanted: [WantedAsset] = []
            for (name, notes) in Dictionary(grouping: noted, by: \.objectID.entityName).sorted(by: { $0.key < $1.key })
            {
                let entity = settings.model.entity(named: name)?.entity
                let keys = Array(Set(notes.map(\.objectID.key)))
                let rows = try entity.map { try journal.rows(of: $0, keys: keys) }
                let positions = Dictionary(
                    rows?.keys.enumerated().map { ($0.element, $0.offset) } ?? [], uniquingKeysWith: { $1 })
                for note in notes {
                    if let rows, let row = positions[note.objectID.key],
                        let column = entity?.property(named: note.key), column.slot < rows.entity.columnCount,
                        rows.value(row, column.slot) == .asset(note.reference),
                        !settings.assets.contains(note.reference)
                    {
                        wanted.append(note)
                    } else {
                        try journal.removeNote(.wanted, of: note.place)
                    }
                }
            }
            return wanted
        }
    }
}
