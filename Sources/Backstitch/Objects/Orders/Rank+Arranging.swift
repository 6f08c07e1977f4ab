extension Rank {
    /// Returns ranks that rise, with as few changes of `ranks` as possible.
    ///
    /// - Complexity: O(ranks · log ranks).
    static func rearranged(_ ranks: [Rank?]) throws -> [Rank] {
        let kept = longestRise(ranks)
        var result: [Rank] = []
        result.reserveCapacity(ranks.count)
        for index in kept + [ranks.count] {
            let upper = index < ranks.count ? ranks[index] : nil
            guard let between = spread(index - result.count, after: result.last, before: upper) else {
                throw BackstitchError(
                    .internalInconsistency,
                    "no ranks between \(result.last?.text ?? "the beginning") and \(upper?.text ?? "the end")")
            }
            if between.contains(where: \.isLong) { return spread(ranks.count, after: nil, before: nil) ?? [] }
            result += between
            if let upper { result.append(upper) }
        }
        return result
    }

    /// Returns the positions of a longest subsequence of rising ranks. These can stay when the rest is moved.
    private static func longestRise(_ ranks: [Rank?]) -> [Int] {
        var tails: [Int] = []
        var before: [Int?] = Array<Int?>(repeating: nil, count: ranks.count)
        for (index, rank) in ranks.enumerated() {
            guard let rank else { continue }
            var low = 0, high = tails.count
            // Mostly the ranks rise all the time.
            if let last = tails.last.flatMap({ ranks[$0] }), last < rank { low = high }
            while low < high {
                let middle = (low + high) / 2
                if let other = ranks[tails[middle]], other < rank { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? tails[low - 1] : nil
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var positions: [Int] = []
        var next = tails.last
        while let index = next {
            positions.append(index)
            next = before[index]
        }
        return positions.reversed()
    }
}
