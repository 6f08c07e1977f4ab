import BackstitchSupport

/// The places that indexes take in a zone, and the indexes that make room for another one.
///
/// Each change of a zone keeps up all indexes of a record's type, so there are so many places for a type, and for all
/// of a zone. Nobody can take them from others by asking for many things: where there is no place, one of those goes
/// that were not used for long, or else one of the maker who has the most, if the new one's maker has fewer. Makers
/// without a user have a small part of the places, and make room among themselves.
struct QueryPlaces {
    private let indexes: [StoredQueryIndex]
    private let now: Int64

    /// - Parameter indexes: Those that are kept up.
    init(_ indexes: [StoredQueryIndex], at now: Int64) {
        self.indexes = indexes
        self.now = now
    }

    /// The indexes that go for another one; none where there is room, nil where there is none to be had.
    func leavers(for index: QueryIndex, of maker: QueryMaker) -> [StoredQueryIndex]? {
        var left = indexes, leavers: [StoredQueryIndex] = []
        while let rivals = rivals(of: index, maker, among: left) {
            guard let leaver = leaver(among: rivals, for: index, maker) else { return nil }
            left.removeAll { $0.number == leaver.number }
            leavers.append(leaver)
        }
        return leavers
    }

    /// Those of which one must go; nil where there is room.
    private func rivals(
        of index: QueryIndex, _ maker: QueryMaker, among all: [StoredQueryIndex]
    ) -> [StoredQueryIndex]? {
        let ofType = all.filter { $0.index.type.utf8.elementsEqual(index.type.utf8) }
        let bounds = [
            (ofType, QueryLimits.placesOfType, QueryLimits.placesOfTypeForStrangers),
            (all, QueryLimits.places, QueryLimits.places / 2),
        ]
        for (rivals, most, ofStrangers) in bounds {
            if maker.isStranger {
                let strangers = rivals.filter(\.maker.isStranger)
                if Self.places(of: strangers) + index.places > ofStrangers { return strangers }
            }
            if Self.places(of: rivals) + index.places > most { return rivals }
        }
        return nil
    }

    private func leaver(
        among rivals: [StoredQueryIndex], for index: QueryIndex, _ maker: QueryMaker
    ) -> StoredQueryIndex? {
        let yielding = maker.isStranger ? rivals.filter(\.maker.isStranger) : rivals
        if let idle = Self.leastUsed(yielding), idle.used < now - QueryLimits.restBeforePlace { return idle }
        let byMaker = Dictionary(grouping: yielding, by: \.maker).mapValues { ($0, places: Self.places(of: $0)) }
        let most = byMaker.max { ($0.value.places, $0.key.name) < ($1.value.places, $1.key.name) }
        // So makers who have the same end in a draw, and no two take places from each other for ever.
        let own = byMaker[maker]?.places ?? 0
        guard let most, most.value.places > own + index.places else { return nil }
        return Self.leastUsed(most.value.0)
    }

    private static func places(of indexes: [StoredQueryIndex]) -> Int { indexes.reduce(0) { $0 + $1.index.places } }

    private static func leastUsed(_ indexes: [StoredQueryIndex]) -> StoredQueryIndex? {
        indexes.min { ($0.used, $0.number) < ($1.used, $1.number) }
    }
}

extension QueryIndex {
    /// The places that it takes: one of elements or words has many entries of a record.
    fileprivate var places: Int { hasParts ? QueryLimits.placesOfParts : 1 }
}
