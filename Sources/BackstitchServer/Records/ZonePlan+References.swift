import BackstitchSupport
import CloudWire

extension ZonePlan {
    /// Most references with DELETE_SELF that may point to one record, as CloudKit has it; in the public database, those
    /// of one user.
    static let largestFamily = 750
    /// The same for those of all users in the public database: as many as a deletion may take with it.
    static let largestPublicFamily = largestCascade
    /// Most records that the deletions of one request may take with them.
    static let largestCascade = 4000
    /// Most references with VALIDATE or DELETE_SELF that one request may write.
    static let mostReferences = 20_000
    /// Most records to which one request may make others refer with DELETE_SELF: of each its family is counted.
    static let mostFamilies = 2_000

    /// Checks references that demand their target, and finds what deletions take with them. Takes time in proportion to
    /// the references that are looked at.
    ///
    /// The order within the batch does not matter: a record may refer to one that the same batch makes. A failure may
    /// take the ground from under another operation, which then fails as well.
    mutating func settleReferences(_ reading: any ZoneReading) throws {
        cascade = []
        guard changes.contains(where: { $0?.record.deleted == true || $0?.references.isEmpty == false }) else { return }
        try require(
            changes.reduce(0) { $0 + ($1?.references.count ?? 0) }, atMost: Self.mostReferences,
            "references with an action")
        try refuseTooManySources(reading)
        try refuseMissingTargets(reading)
        try followDeletions(reading)
    }

    /// Which records of the batch will be there, by name.
    private func plannedStates() -> [ByteText: Bool] {
        var states: [ByteText: Bool] = [:]
        for case let change? in changes { states[ByteText(change.record.name)] = !change.record.deleted }
        return states
    }

    /// - Throws: BAD_REQUEST "limit exceeded", before anything is asked that takes time with each of them.
    private func require(_ count: Int, atMost most: Int, _ what: String) throws(WireError) {
        guard count > most else { return }
        throw WireError(
            .badRequest,
            "\(WireError.limitExceededPrefix): the records of this request have \(count) \(what), at most \(most); "
                + "save fewer at a time")
    }

    /// Fails saves by which more records than allowed would go with one. Records that refer to it already may go on.
    private mutating func refuseTooManySources(_ reading: any ZoneReading) throws {
        var joining: [ByteText: [Int]] = [:], leaving: [ByteText: Int] = [:]
        for index in changes.indices {
            guard let change = changes[index] else { continue }
            let (old, new) = (try change.familiesBefore(), change.families)
            for target in new.subtracting(old) { joining[target, default: []].append(index) }
            for target in old.subtracting(new) { leaving[target, default: 0] += 1 }
        }
        guard !joining.isEmpty else { return }
        try require(joining.count, atMost: Self.mostFamilies, "new targets of references with DELETE_SELF")
        let isPublic = scope.database.scope == .public
        let most = isPublic ? Self.largestPublicFamily : Self.largestFamily
        let counts = try reading.sourceCounts(zone, of: joining.keys.map(\.string), upTo: most + changes.count + 1)
        refuse(joining, leaving, beside: counts, most, of: "records")
        guard isPublic else { return }
        try refuseTooManySourcesOfUser(joining, leaving, beside: counts, reading)
    }

    /// Fails saves that join a family which is full.
    ///
    /// - Parameters:
    ///   - joining: The places of saves by the records that they refer to, `leaving` how many refer no more.
    ///   - what: The records that are counted, for the error.
    private mutating func refuse(
        _ joining: [ByteText: [Int]], _ leaving: [ByteText: Int], beside counts: [(target: String, count: Int)],
        _ most: Int, of what: String
    ) {
        // In an order, so that the same request always fails in the same way.
        for (target, count) in counts.sorted(by: { $0.target < $1.target }) {
            let target = ByteText(target)
            var family = count - (leaving[target] ?? 0)
            for index in joining[target] ?? [] where changes[index] != nil {
                family += 1
                guard family > most else { continue }
                fail(
                    index, .badRequest,
                    """
                    \(WireError.limitExceededPrefix): more than \(most) \(what) refer to \
                    '\(target.string)' with DELETE_SELF
                    """)
            }
        }
    }

    /// In the public database no user takes the room of others: the makers of records are counted apart.
    private mutating func refuseTooManySourcesOfUser(
        _ joining: [ByteText: [Int]], _ leaving: [ByteText: Int], beside counts: [(target: String, count: Int)],
        _ reading: any ZoneReading
    ) throws {
        let large = counts.filter { $0.count + (joining[ByteText($0.target)]?.count ?? 0) > Self.largestFamily }
        guard !large.isEmpty else { return }
        let makers = Set(joining.values.joined().compactMap { changes[$0].map { ByteText($0.record.createdBy) } })
        for maker in makers.sorted() {
            let own = joining.mapValues { places in
                places.filter { changes[$0].map { ByteText($0.record.createdBy) } == maker }
            }
            let ofMaker = try reading.sourceCounts(
                zone, of: large.map(\.target), madeBy: maker.string, upTo: Self.largestPublicFamily + changes.count + 1)
            refuse(own, leaving, beside: ofMaker, Self.largestFamily, of: "records of user '\(maker.string)'")
        }
    }

    /// Fails saves whose demanded target will not be there, and saves that demand those.
    private mutating func refuseMissingTargets(_ reading: any ZoneReading) throws {
        var demands: [ByteText: [Int]] = [:]
        for index in changes.indices {
            for reference in changes[index]?.references ?? [] where reference.action == .validate {
                demands[ByteText(reference.target), default: []].append(index)
            }
        }
        guard !demands.isEmpty else { return }
        var planned = plannedStates()
        let stored = try reading.liveNames(zone, among: demands.keys.map(\.string))
        var missing = demands.keys.filter { !(planned[$0] ?? stored.contains($0)) }
        while let target = missing.popLast() {
            for index in demands[target] ?? [] {
                guard let name = changes[index].map({ ByteText($0.record.name) }) else { continue }
                fail(
                    index, .validatingReferenceError,
                    "record '\(name.string)' refers to '\(target.string)', which does not exist")
                // A record that is not saved stays as it was, if it was at all.
                planned[name] = nil
                if !stored.contains(name) { missing.append(name) }
            }
        }
    }

    /// Finds what goes with deletions, and fails those that a demanding reference forbids.
    private mutating func followDeletions(_ reading: any ZoneReading) throws {
        let roots = changes.indices.filter { changes[$0]?.record.deleted == true }
        guard !roots.isEmpty else { return }
        var graph = DeletionGraph(roots: roots.compactMap { changes[$0]?.record.name })
        let planned = plannedStates()
        // Else a user could keep others from deleting what is theirs.
        let demands: ReferenceDemands = scope.database.scope == .public ? .ofMaker : .all
        var frontier = graph.names
        while !frontier.isEmpty {
            let room = Self.largestCascade + 1 - graph.edgeCount
            let found = try reading.references(zone, to: frontier, demands: demands, limit: room)
            frontier = []
            // Records that the batch saves have new references, and those do not point to records that it deletes.
            for reference in found where planned[ByteText(reference.source)] != true {
                if let new = graph.add(reference) { frontier.append(new) }
            }
            guard found.count < room else { return refuseCascade(roots, graph) }
        }
        for case let change? in changes { graph.addDemands(change.references) }
        let kept = graph.settle()
        // Guests may not see the records that refer to what they do see.
        let isShown = zone.access?.parts == nil
        for (place, index) in roots.enumerated() {
            guard let reason = kept[place] else { continue }
            fail(
                index, .validatingReferenceError,
                isShown
                    ? "record '\(reason.target)' is still referred to by '\(reason.source)'"
                    : "the record, or one that would go with it, is still referred to by another")
        }
        let taken = graph.taken(without: kept).map { graph.names[$0] }
        cascade = try reading.records(zone.whole, named: taken).compactMap { $0.flatMap { $0.deleted ? nil : $0 } }
        refuseRootsOfGuests(roots)
    }

    /// Only the owner ends a share, which a deletion of its root would do, also of one that goes along with another.
    private mutating func refuseRootsOfGuests(_ roots: [Int]) {
        guard zone.access?.parts != nil, cascade.contains(where: { $0.flags.contains(.root) }) else { return }
        for index in roots where changes[index] != nil {
            fail(index, .accessDenied, "a record that others are shown by a share of their own would go with it")
        }
        cascade = []
    }

    private mutating func refuseCascade(_ roots: [Int], _ graph: DeletionGraph) {
        for (place, index) in roots.enumerated() where graph.hasSources(place) {
            fail(
                index, .badRequest,
                """
                \(WireError.limitExceededPrefix): the deletions of this request take more than \(Self.largestCascade) \
                records with them; delete some of those first
                """)
        }
    }

    mutating func fail(_ index: Int, _ code: WireErrorCode, _ reason: String) {
        changes[index] = nil
        faults[index] = (WireError(code, reason), nil)
    }
}
