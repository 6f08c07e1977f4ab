import Backstitch
import CloudWire

extension DuplicateMerger {
    /// Applies the records deferred until the end of the pull.
    mutating func settle() throws {
        departed = try DepartedObjects.all(in: journal)
        for key in departed.keys { try DepartedObjects.remove(key, from: journal) }
        let news = RemoteChange.list(try DeferredRecords.takeAll(from: journal), zone: settings.zone)
        guard !news.isEmpty || !departed.isEmpty else { return }
        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
        let wanted = try images(of: news, &applier)
        for item in wanted { pending[item.id.key] = item.image }
        try makeWay(Dictionary(wanted.map { ($0.id.key, $0.entity.entity) }, uniquingKeysWith: { $1 }))
        for item in wanted {
            // It may already be merged with another object.
            if let image = pending[item.id.key] { try put(image, of: item.id) }
            try noteAssets(of: item, &applier)
        }
        try applier.relinkMergedTargets()
        result.add(applier.result)
        try endDeparted()
    }

    /// Deletes the objects that are gone from the server and were not replaced after all.
    private mutating func endDeparted() throws {
        guard !departed.isEmpty else { return }
        let names = try journal.recordStates(for: Array(departed.keys)).mapValues(\.foreignName)
        var applier = try RemoteChangeApplier(journal: journal, settings: settings)
        let news = departed.keys.sorted().map { key in
            RemoteChange(deleted: (names[key] ?? nil) ?? key.uuidString, zone: settings.zone)
        }
        result.add(try applier.apply(news))
    }

    private func noteAssets(of item: Wanted, _ applier: inout RemoteChangeApplier) throws {
        let rows = try journal.rows(of: item.entity.entity, keys: [item.id.key])
        if rows.count == 1 { try applier.noteAssets(of: item.record, in: rows, at: 0, item.entity) }
    }

    private struct Wanted {
        var id: ObjectID
        var image: RecordImage
        var record: WireRecord
        var entity: SyncedEntity
    }

    /// The objects of the records, in order of their keys, merged with the changes made here.
    private func images(of news: [RemoteChange], _ applier: inout RemoteChangeApplier) throws -> [Wanted] {
        try applier.look(up: news)
        var pushes = try journal.inFlightPushes()
        let before = pushes
        var wanted: [Wanted] = []
        var claimed: [UniqueClaim: TwinFold.Twin] = [:]
        let arriving = Set(news.map(\.key))
        for item in news.sorted(by: { $0.key < $1.key }) {
            guard let record = item.record, let (entity, decoded) = try applier.decode(record, item) else { continue }
            let id = ObjectID(entityName: entity.entity.name, key: item.key)
            let local = try LocalImages(of: [item.key], entity, from: journal)[item.key]
            let there = decoded.image(key: item.key, of: entity, keeping: local)
            let twin = TwinFold.Twin(id: id, entity: entity.entity, image: there)
            if let reason = try reasonToWait(of: twin, arriving: arriving, claimed, applier) {
                try applier.park(record, item, reason, awaitsValues: true)
                continue
            }
            if sight.isPartial { for claim in claims(of: twin) { claimed[claim] = twin } }
            if applier.entries[item.key] != nil {
                let row = try applier.merge(one: item, of: entity, local, pushes: &pushes, mayWait: false)
                guard case .write(let image)? = row else { continue }
                wanted.append(Wanted(id: id, image: image, record: record, entity: entity))
            } else {
                let image = there
                applier.notes.states.append(
                    RecordState(
                        objectID: id, foreignName: item.foreignName, changeTag: record.recordChangeTag,
                        unknownFields: decoded.unknownFields))
                wanted.append(Wanted(id: id, image: image, record: record, entity: entity))
            }
        }
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
        if pushes != before { try journal.set(.inFlight, to: pushes) }
        try applier.finish()
        return wanted
    }

    /// The reason why an object cannot become one with the holder of its unique values. Nil if it can, and if there is
    /// no holder.
    ///
    /// - Parameter arriving: Objects with perhaps other values by the end of the pull.
    /// - Parameter claimed: The claims of the arriving objects checked so far.
    private func reasonToWait(
        of twin: TwinFold.Twin, arriving: Set<ObjectKey>, _ claimed: [UniqueClaim: TwinFold.Twin],
        _ applier: RemoteChangeApplier
    ) throws -> String? {
        if let rival = try journal.rival(of: twin.id.key, twin.image, twin.entity, model) {
            if try applier.isElsewhere(rival) { return RemoteChangeApplier.elsewhere(rival) }
            if sight.isPartial, !arriving.contains(rival.key), departed[rival.key] == nil,
                try isSeenByOthers(twin, self.twin(rival))
            {
                return RemoteChangeApplier.seenByOthers(rival)
            }
        }
        guard !claimed.isEmpty else { return nil }
        let rivals = claims(of: twin).compactMap { claimed[$0] }
        return try rivals.first { try isSeenByOthers(twin, $0) }.map { RemoteChangeApplier.seenByOthers($0.id) }
    }

    private func claims(of twin: TwinFold.Twin) -> [UniqueClaim] {
        model.claims(of: { twin.image.values[$0] }, twin.entity)
    }

    /// Whether each of two objects is visible to guests who do not see the other.
    private func isSeenByOthers(_ one: TwinFold.Twin, _ other: TwinFold.Twin) throws -> Bool {
        let (mine, theirs) = try (roots(above: one), roots(above: other))
        return !mine.isSuperset(of: theirs) && !theirs.isSuperset(of: mine)
    }

    /// Clears unique values that objects give up, so other objects can take them.
    private func makeWay(_ entities: [ObjectKey: ResolvedEntity]) throws {
        for (key, image) in pending.sorted(by: { $0.key < $1.key }) {
            guard let entity = entities[key], let synced = model.entity(named: entity.name),
                var stored = try LocalImages(of: [key], synced, from: journal)[key]
            else { continue }
            let given = entity.uniquenessConstraints.filter { columns in
                columns.contains { stored.values[$0] != image.values[$0] }
            }
            guard !given.isEmpty else { continue }
            for columns in given { stored.values[columns[0]] = .null }
            try journal.upsert(stored.row(key, of: entity))
        }
    }
}
