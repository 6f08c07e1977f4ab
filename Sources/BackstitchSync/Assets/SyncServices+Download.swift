import Backstitch
import CloudWire
import Foundation

extension SyncServices {
    /// Downloads the assets that are recorded as wanted.
    ///
    /// - Returns: The number of assets that are still missing; they stay recorded. And the milliseconds until the first
    ///   retry at the latest; nil if no download waits for a time of its own.
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
            // The store could not be read; the next cycle tries again.
            return (1, nil)
        }
    }

    /// Returns the milliseconds until the first retry at the latest, among failed downloads that are not paused.
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

    /// Changes or removes the note of a wanted asset, unless a newer version of the record wants other bytes.
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

    /// Downloads the bytes of an asset, stores them, and tells contexts.
    ///
    /// - Throws: ``SyncFailure`` when the server cannot be reached or does not have them;
    ///   ``BackstitchError/Code/asset`` when the received bytes do not match the reference;
    ///   ``BackstitchError/Code/syncPaused`` when its transfers are paused.
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
                // Another attribute with the same bytes may have been paused, so this one tries again.
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
            // The partial file is no longer needed, even if the bytes are wrong.
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

    /// Reads the bytes at an address; returns nil if the address has expired. Large assets are read in pieces. Each
    /// piece is appended to the partial file, and stays there if a later one fails.
    ///
    /// - Parameter told: The asset whose progress is reported, if the bytes are those of its ciphertext.
    func read(
        _ url: String, _ reference: AssetReference, telling told: AssetReference? = nil
    ) async throws -> AssetContent? {
        let url = url.replacing("${f}", with: "asset")
        let size = reference.size
        guard size > client.pace(.pieces).share(of: Self.pieceSize) else {
            return try await piece(of: url, reference, telling: told ?? reference, range: nil, after: 0)
                .map(AssetContent.data)
        }
        // A larger file was left by another asset of that name.
        var start = try await onStore { [partials] _ in try partials.size(of: reference, atMost: size) }
        while start < size {
            let range = start...min(start + Int64(client.pace(.pieces).share(of: Self.pieceSize)), size) - 1
            guard
                let piece = try await piece(of: url, reference, telling: told ?? reference, range: range, after: start)
            else { return nil }
            // A server without support for ranges sends the whole asset.
            if piece.count == size { return .data(piece) }
            guard piece.count == range.count else {
                throw BackstitchError(
                    .asset, "the server has sent \(piece.count) bytes of an asset instead of \(range.count)"
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

    /// The size of a piece, in bytes. An interrupted download loses one piece at most.
    private static let pieceSize = 1 << 20
    /// The size of a piece on the slowest connections, in bytes.
    private static let smallestPiece = 16 << 10

    /// Returns the present address of the bytes; nil if the record no longer has them.
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
    /// Returns the wanted assets that are not here and that their objects still refer to. Notes of others are removed.
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
