import Backstitch

extension RecordMerge {
    /// The result of the merge of one property.
    private struct Part {
        var content: OutboxEntry.Base
        /// The field that is still to be sent.
        var field: OutboxEntry.Field?
        /// The open question, if the two sides cannot both stay.
        var contest: Contest?
    }

    /// A property that both sides have changed, to different values.
    private struct Contest {
        var property: ResolvedProperty
        var base: Value
        var local: Value
        var server: Value
        /// The field that is still to be sent, unless the server's value stays.
        var field: OutboxEntry.Field
    }

    func mergeEdits(_ local: Local, _ image: RecordImage, _ server: RecordImage) -> Outcome {
        var merged = server
        var fields: [OutboxEntry.Field] = []
        var contests: [Contest] = []
        let byName = Dictionary(local.entry.fields.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        for property in entity.syncedProperties {
            let part = merge(property, field: byName[property.name], local, image, server)
            switch part.content {
            case .value(let value): merged.values[property.slot] = value
            case .links(let keys): merged.links[property.slot] = keys
            // A part has one of the two sides' contents.
            case .digest: break
            }
            if let field = part.field { fields.append(field) }
            if let contest = part.contest { contests.append(contest) }
        }
        var conflicts: [SyncConflict] = []
        var copy: RecordImage?
        if !contests.isEmpty {
            let decision = resolver.decide(of: entity) { conflict(contests, local, image, server) }
            guard case .winner(let winner, let choices) = decision else { return undecided(decision, local.entry) }
            conflicts = settle(contests, winner, choices, &merged, &fields)
            copy = self.copy(of: merged, for: contests, choices)
        }
        return Outcome(
            row: merged == image ? .keep : .write(merged), entry: entry(local.entry, keeping: fields),
            conflicts: conflicts, copy: copy)
    }

    /// Returns the copy with this side's values for the properties that keep both sides; nil if there are none.
    private func copy(
        of merged: RecordImage, for contests: [Contest], _ choices: [String: ConflictChoice]
    ) -> RecordImage? {
        let shared = contests.filter { choices[$0.property.name] == .both }
        guard !shared.isEmpty else { return nil }
        var copy = merged
        for contest in shared { copy.values[contest.property.slot] = contest.local }
        return copy
    }

    /// Applies the decisions to the contested properties.
    private func settle(
        _ contests: [Contest], _ winner: SyncConflict.Side, _ choices: [String: ConflictChoice],
        _ merged: inout RecordImage, _ fields: inout [OutboxEntry.Field]
    ) -> [SyncConflict] {
        var decided: [SyncConflict.Side: [String]] = [:]
        for contest in contests {
            let name = contest.property.name
            var side = winner
            var value = winner == .server ? contest.server : contest.local
            switch choices[name] {
            case nil: break
            case .side(let chosen):
                side = chosen
                value = chosen == .server ? contest.server : contest.local
            case .both:
                side = .both
                value = contest.server
            case .value(let own):
                side = own == contest.server ? .server : own == contest.local ? .client : .resolver
                value = own
            }
            merged.values[contest.property.slot] = value
            if value != contest.server { fields.append(contest.field) }
            decided[side, default: []].append(name)
        }
        return decided.sorted { $0.key.rawValue < $1.key.rawValue }.map { side, keys in
            SyncConflict(objectID: objectID, kind: .edits, keys: keys.sorted(), winner: side)
        }
    }

    /// Returns the conflict in the form for resolvers.
    private func conflict(
        _ contests: [Contest], _ local: Local, _ image: RecordImage, _ server: RecordImage
    ) -> ConflictToResolve {
        let isMadeTwice = local.entry.kind == .insert && !local.mayHaveArrived
        var base = isMadeTwice ? values(of: image).mapValues { _ in Value.null } : values(of: image)
        for field in local.entry.fields {
            if !isMadeTwice, base[field.name] != nil, case .value(let value) = field.base { base[field.name] = value }
        }
        for contest in contests { base[contest.property.name] = contest.base }
        let keys = contests.map(\.property.name).sorted()
        return ConflictToResolve(
            objectID: objectID, kind: .edits, keys: keys, base: base, local: values(of: image),
            server: values(of: server), localDate: localDate(of: keys, local.entry), serverDate: serverDate)
    }

    /// Returns the values of an image, by name.
    func values(of image: RecordImage) -> [String: Value] {
        var values: [String: Value] = [:]
        for column in entity.ownColumns { values[column.name] = image.values[column.slot] }
        return values
    }

    /// Returns the remaining entry: an update, because the record exists on the server.
    private func entry(_ entry: OutboxEntry, keeping fields: [OutboxEntry.Field]) -> OutboxEntry? {
        guard !fields.isEmpty else { return nil }
        var entry = entry
        entry.kind = .update
        entry.fields = fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        entry.unblock()
        return entry
    }

    private func merge(
        _ property: ResolvedProperty, field: OutboxEntry.Field?, _ local: Local, _ image: RecordImage,
        _ server: RecordImage
    ) -> Part {
        let mine = image.content(of: property), theirs = server.content(of: property)
        // The property is never downloaded, so the server's value does not affect the upload.
        if property.attribute?.syncDirection.downloads == false { return Part(content: mine, field: field) }
        // The property was not changed since the last agreement. The push of an insert that may have arrived counts as
        // an agreement.
        if field == nil, local.entry.kind == .update || local.mayHaveArrived { return Part(content: theirs) }
        let isEcho = isOwnPush(property.name, theirs, local.traces)
        // The two sides never agreed on an object that was created twice, so every difference counts.
        let isMadeTwice = local.entry.kind == .insert && !local.mayHaveArrived
        let base = isEcho ? theirs : isMadeTwice ? nil : field?.base.resolved(by: theirs, mine)
        switch (mine, theirs) {
        case (.links(let mine), .links(let theirs)):
            var known: [ObjectKey] = []
            if case .links(let keys) = base { known = keys }
            return mergeLinks(property, mine: mine, theirs: theirs, base: known, field, local)
        case (.value(let mine), .value(let theirs)):
            var known = Value.null
            if case .value(let value) = base { known = value }
            return mergeValues(property, mine: mine, theirs: theirs, base: known, field, local)
        default: return Part(content: theirs)
        }
    }

    /// Returns whether an earlier push, whose answer was lost, gave the server this value.
    private func isOwnPush(_ name: String, _ theirs: OutboxEntry.Base, _ traces: [PushTrace]) -> Bool {
        let digests = traces.compactMap { $0[name] }
        return !digests.isEmpty && digests.contains(FieldDigest(theirs))
    }

    private func mergeValues(
        _ property: ResolvedProperty, mine: Value, theirs: Value, base: Value, _ field: OutboxEntry.Field?,
        _ local: Local
    ) -> Part {
        if mine == theirs || mine == base { return Part(content: .value(theirs)) }
        let kept = OutboxEntry.Field(
            name: property.name, sequence: field?.sequence ?? local.entry.sequence, base: .value(theirs))
        if theirs == base { return Part(content: .value(mine), field: kept) }
        return Part(
            content: .value(theirs),
            contest: Contest(property: property, base: base, local: mine, server: theirs, field: kept))
    }

    /// Merges the additions and removals of both sides; sets cannot conflict.
    private func mergeLinks(
        _ property: ResolvedProperty, mine: [ObjectKey], theirs: [ObjectKey], base: [ObjectKey],
        _ field: OutboxEntry.Field?, _ local: Local
    ) -> Part {
        let base = Set(base), mineSet = Set(mine)
        let merged = Set(theirs).union(mineSet.subtracting(base)).subtracting(base.subtracting(mineSet)).sorted()
        if merged == theirs { return Part(content: .links(theirs)) }
        return Part(
            content: .links(merged),
            field: OutboxEntry.Field(
                name: property.name, sequence: field?.sequence ?? local.entry.sequence, base: .links(theirs)))
    }
}
