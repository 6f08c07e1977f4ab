import Foundation

/// Copies a store's content into an empty store, in one transaction of each.
struct StoreCopy {
    /// The error of a destination that has content already.
    struct NotEmpty: Error {
        let error: BackstitchError
    }

    let model: ResolvedModel
    let entities: [ResolvedEntity]

    private static let pageSize = 1_000
    /// The number of asset bytes after which a page is written.
    private static let assetPageSize = 16 << 20
    private static let author = "migratePersistentStore"

    func run(from source: any PersistentStore, to destination: any PersistentStore) throws {
        for entity in entities where try destination.count(StoreFetchRequest(entity: entity)) > 0 {
            throw NotEmpty(
                error: BackstitchError(
                    .invalidRequest,
                    "the store to copy to has objects of \(entity.name) already; choose another place, or destroy it",
                    key: entity.name))
        }
        if let source = source as? any JournalingStore, let destination = destination as? any JournalingStore {
            try copyJournal(from: source, to: destination)
        } else {
            try copyRows(from: source, to: destination)
        }
    }

    private func copyJournal(from source: any JournalingStore, to destination: any JournalingStore) throws {
        try source.readJournal { reader in
            try destination.writeJournal(author: Self.author) { writer in
                for entity in entities {
                    let keys = try reader.allKeys(of: entity)
                    for start in stride(from: 0, to: keys.count, by: Self.pageSize) {
                        let page = Array(keys[start..<min(start + Self.pageSize, keys.count)])
                        let rows = try reader.rows(of: entity, keys: page)
                        try copyAssets(of: rows, from: source.assets, to: destination.assets)
                        try writer.upsert(rows)
                        for property in entity.linksKept {
                            let links = try reader.links(of: property, in: entity, sources: page)
                            try writer.change(LinkChange(links, of: property, in: entity))
                        }
                    }
                }
                try copyState(from: reader, to: writer)
            }
        }
    }

    /// Copies the outbox, the record states, the metadata and the zones, and raises the transaction number.
    private func copyState(from reader: any JournalReading, to writer: any JournalWriting) throws {
        let waiting = try reader.outboxCounts().waiting
        try writer.putOutbox(try reader.outbox(after: .min, limit: waiting) + reader.blockedOutbox())
        let keys = try reader.allRecordKeys(), rights = try reader.creatorRights()
        if let rights { try writer.setCreatorRights(rights) }
        for start in stride(from: 0, to: keys.count, by: Self.pageSize) {
            let page = Array(keys[start..<min(start + Self.pageSize, keys.count)])
            try writer.putRecordStates(Array(reader.recordStates(for: page).values))
            if rights != nil { try writer.putCreators(reader.creators(of: page)) }
        }
        for (key, value) in try reader.metadata(withPrefix: "") { try writer.setMetadata(value, for: key) }
        for (zone, name) in try reader.zones().sorted(by: { $0.key < $1.key }) {
            try writer.putZone(zone, named: name)
            try writer.setZone(zone, of: reader.keys(inZone: zone))
        }
        for zone in try reader.readOnlyZones().sorted() { try writer.setReadOnly(true, zone: zone) }
        for (zone, roots) in try reader.sharedRoots().sorted(by: { $0.key < $1.key }) {
            try writer.setSharedRoots(roots, zone: zone)
        }
        try writer.raiseTransactionNumber(to: reader.lastTransactionNumber())
    }

    /// Copies rows as one save, if one of the stores does not give access to its journal.
    private func copyRows(from source: any PersistentStore, to destination: any PersistentStore) throws {
        var request = SaveChangesRequest(author: Self.author)
        for entity in entities {
            let rows = try source.fetch(StoreFetchRequest(entity: entity))
            guard rows.count > 0 else { continue }
            try copyAssets(of: rows, from: source.assets, to: destination.assets)
            request.inserts.append(rows.atFirstVersion())
            for property in entity.linksKept {
                let related = try source.related(by: property, of: entity, sources: Array(rows.keys))
                var links: [ObjectKey: [ObjectKey]] = [:]
                for link in related.links { links[link.source, default: []].append(related.rows.keys[link.row]) }
                request.links.append(LinkChange(links, of: property, in: entity))
            }
        }
        if !request.isEmpty { _ = try destination.save(request) }
    }

    /// Copies the bytes of rows, some at a time, so that not all of them are in memory at once. Bytes that are not on
    /// this device are not copied.
    private func copyAssets(
        of rows: RowBatch, from source: any AssetStorage, to destination: any AssetStorage
    ) throws {
        var contents: AssetContents = [:]
        var size = 0
        for reference in Set(rows.assetReferences) where !destination.contains(reference) {
            guard let content = try source.content(of: reference) else { continue }
            contents[reference] = content
            size += Int(clamping: content.size)
            if size < Self.assetPageSize { continue }
            try destination.write(contents)
            (contents, size) = ([:], 0)
        }
        if !contents.isEmpty { try destination.write(contents) }
    }
}

extension LinkChange {
    /// Creates a change that adds these links.
    fileprivate init(_ links: [ObjectKey: [ObjectKey]], of property: ResolvedProperty, in entity: ResolvedEntity) {
        self.init(
            entity: entity, property: property,
            added: links.sorted { $0.key < $1.key }.flatMap { source, targets in
                targets.map { Link(source: source, target: $0) }
            })
    }
}
