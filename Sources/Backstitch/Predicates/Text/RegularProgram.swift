/// A regular expression as a machine in several states at once (K. Thompson, "Regular expression search algorithm",
/// CACM 11(6), 1968). So for every pattern, each scalar takes time at most proportional to the size of the pattern.
struct RegularProgram: Sendable {
    private enum Step: Sendable {
        case scalar(ScalarSet)
        case fork(Int, Int)
        case jump(Int)
        case accept
    }

    /// The most steps of a program.
    static let maximumSize = 5000

    private var steps: [Step] = []

    /// Compiles a tree; nil if the program would be too large.
    init?(_ tree: RegularTree) {
        guard append(tree), steps.count < Self.maximumSize else { return nil }
        steps.append(.accept)
    }

    func matches(_ text: String.UnicodeScalarView) -> Bool {
        var (current, next) = (StateSet(steps.count), StateSet(steps.count))
        enter(0, &current)
        for scalar in text {
            next.removeAll()
            for state in current.members {
                if case .scalar(let set) = steps[state], set.contains(scalar.value) { enter(state + 1, &next) }
            }
            if next.members.isEmpty { return false }
            swap(&current, &next)
        }
        return current.members.contains { if case .accept = steps[$0] { true } else { false } }
    }

    /// Adds a state, and all states that it reaches without a scalar.
    private func enter(_ first: Int, _ states: inout StateSet) {
        var pending = [first]
        while let state = pending.popLast() {
            guard states.insert(state) else { continue }
            switch steps[state] {
            case .fork(let one, let other): pending += [one, other]
            case .jump(let target): pending.append(target)
            case .scalar, .accept: break
            }
        }
    }

    private mutating func append(_ tree: RegularTree) -> Bool {
        guard steps.count < Self.maximumSize else { return false }
        switch tree {
        case .scalar(let set):
            steps.append(.scalar(set))
            return true
        case .sequence(let parts):
            return parts.allSatisfy { append($0) }
        case .alternatives(let parts):
            return append(alternatives: parts)
        case .repeated(let part, let least, let most):
            return append(part, least: least, most: most)
        }
    }

    private mutating func append(alternatives parts: [RegularTree]) -> Bool {
        var ends: [Int] = []
        for part in parts.dropLast() {
            let fork = steps.count
            steps.append(.jump(0))
            guard append(part) else { return false }
            ends.append(steps.count)
            steps.append(.jump(0))
            steps[fork] = .fork(fork + 1, steps.count)
        }
        if let last = parts.last, !append(last) { return false }
        for end in ends { steps[end] = .jump(steps.count) }
        return true
    }

    private mutating func append(_ part: RegularTree, least: Int, most: Int?) -> Bool {
        for _ in 0..<least where !append(part) { return false }
        guard let most else {
            let fork = steps.count
            steps.append(.jump(0))
            guard append(part) else { return false }
            steps.append(.jump(fork))
            steps[fork] = .fork(fork + 1, steps.count)
            return true
        }
        var forks: [Int] = []
        for _ in 0..<max(0, most - least) {
            forks.append(steps.count)
            steps.append(.jump(0))
            guard append(part) else { return false }
        }
        for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
        return true
    }
}

/// States of a program, each once, in the order of insertion.
private struct StateSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]

    init(_ size: Int) { isMember = Array(repeating: false, count: size) }

    mutating func insert(_ state: Int) -> Bool {
        if isMember[state] { return false }
        isMember[state] = true
        members.append(state)
        return true
    }

    mutating func removeAll() {
        for state in members { isMember[state] = false }
        members.removeAll(keepingCapacity: true)
    }
}
