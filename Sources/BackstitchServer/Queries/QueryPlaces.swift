import BackstitchSupport

/// The places of indexes in a zone, and the choice of indexes that give way to a new one.
///
/// Each change of a record updates all indexes of its type. So the places are limited for each type, and for the whole
/// zone. A caller cannot take them from others by asking many kinds of queries. If there is no free place, an index
/// that was not used for long gives way. Otherwise it is one of the maker with the most places, if the new index's
/// maker has fewer.
///
/// Makers without a user have a small part of the places, and give way only among themselves.
struct QueryPlaces {
    private let indexes: [StoredQueryIndex]
    private let now: Int64

    /// Takes the present indexes of a zone.
    ///
    /// - Parameter indexes: The indexes that are kept up.
    init(_ indexes: [StoredQueryIndex], at now: Int64) {
        self.indexes = indexes
        self.now = now
    }

    /// The indexes that give way to a new one: none if there is a free place, nil if no place can be had.
    func leavers(for index: QueryIndex, of maker: QueryIndexOwner) -> [StoredQueryIndex]? {
        var left = indexes, leavers: [StoredQueryIndex] = []
        while let rivals = rivals(of: index, maker, among: left) {
            guard let leaver = leaver(among: rivals, for: index, maker) else { return nil }
            left.removeAll { $0.number == leaver.number }
            leavers.append(leaver)
        }
        return leavers
    }

    /// The indexes that compete for a place, so one of them must give way; nil if there is a free place.
    private func rivals(
        of index: QueryIndex, _ maker: QueryIndexOwner, among all: [StoredQueryIndex]
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

    /// The index that gives way; nil if the maker has a right to no further place.
    private func leaver(
        among rivals: [StoredQueryIndex], for index: QueryIndex, _ maker: QueryIndexOwner
    ) -> StoredQueryIndex? {
        let yielding = maker.isStranger ? rivals.filter(\.maker.isStranger) : rivals
        if let idle = Self.leastUsed(yielding), idle.used < now - QueryLimits.restBeforePlace { return idle }
        let byMaker = Dictionary(grouping: yielding, by: \.maker).mapValues { ($0, places: Self.places(of: $0)) }
        let most = byMaker.max { ($0.value.places, $0.key.name) < ($1.value.places, $1.key.name) }
        // The condition is strict, so makers with equal shares do not take places from each other for ever.
        let own = byMaker[maker]?.places ?? 0
        guard let most, most.value.places > own + index.places else { return nil }
        return Self.leastUsed(most.value.0)
    }

    /// The places that some indexes take together.
    private static func places(of indexes: [StoredQueryIndex]) -> Int { indexes.reduce(0) { $0 + $1.index.places } }

    /// The index whose last use is the longest ago.
    private static func leastUsed(_ indexes: [StoredQueryIndex]) -> StoredQueryIndex? {
        indexes.min { ($0.used, $0.number) < ($1.used, $1.number) }
    }
}

extension QueryIndex {
    /// The places that the index takes. One of elements or words takes more, because it has many entries for a record.
    fileprivate var places: Int { hasParts ? QueryLimits.placesOfParts : 1 }
}
