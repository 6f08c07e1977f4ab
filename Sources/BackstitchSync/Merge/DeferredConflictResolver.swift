import Backstitch
import BackstitchSupport

/// Decides conflicts by code that may take time, although transactions cannot wait. A new conflict is recorded, and the
/// transaction is rolled back. Then the code is asked, and the transaction is tried again with its answers.
final class DeferredConflictResolver: ConflictResolver {
    /// One resolver's part of a conflict.
    private struct Question: Sendable, Hashable {
        let path: String
        let conflict: ConflictToResolve
    }

    private enum Answer: Sendable {
        case resolution(ConflictResolution)
        case failure(String)
    }

    private struct State: Sendable {
        var answers: [Question: Answer] = [:]
        var open: [Question] = []
        var rounds = 0
    }

    /// The most rounds for an object that changes while its conflict is being decided. After that it waits.
    private static let mostRounds = 4

    private let policy: ConflictResolutionPolicy
    private let resolvers: ConflictResolvers
    private let state = Locked(State())

    init(policy: ConflictResolutionPolicy, resolvers: ConflictResolvers) {
        self.policy = policy
        self.resolvers = resolvers
    }

    /// The code of a program may use them.
    var looksAtDates: Bool { true }

    var hasOpenConflicts: Bool { state.withLock { !$0.open.isEmpty } }

    /// Asks the resolvers the open questions.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. An error of a resolver counts as its answer.
    func answer() async throws {
        let open = state.withLock { state in
            defer { state.open = [] }
            state.rounds += 1
            return state.open
        }
        for question in open {
            guard let resolver = resolvers.byPath[question.path] else { continue }
            let answer: Answer
            do { answer = .resolution(try await resolver(question.conflict)) } catch {
                try Task.checkCancellation()
                answer = .failure("the conflict resolver of \(question.path) has failed: \(error)")
            }
            try Task.checkCancellation()
            state.withLock { $0.answers[question] = answer }
        }
    }

    func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision {
        // Most entities have no resolver, and their conflicts need not be examined.
        guard resolvers.byPath.keys.contains(where: { $0 == entity.name || $0.hasPrefix(entity.name + ".") }) else {
            return .winner(policy.side)
        }
        let conflict = conflict()
        let questions = questions(conflict, entity)
        var sides: [String: ConflictChoice] = [:]
        var winner = policy.side
        for question in questions {
            switch look(question) {
            case nil: return .deferred
            case .failure(let reason): return .refused(reason: reason)
            case .resolution(let resolution):
                do throws(RecordFault) {
                    for (key, choice) in try choices(of: resolution, question, entity) { sides[key] = choice }
                } catch { return .refused(reason: error.reason) }
                if conflict.kind != .edits { winner = resolution.side(of: conflict.kind) ?? policy.side }
            }
        }
        return .winner(winner, choices: sides)
    }

    /// Returns the questions about a conflict. Resolvers of properties are asked about their property, the entity's
    /// about the rest.
    private func questions(_ conflict: ConflictToResolve, _ entity: ResolvedEntity) -> [Question] {
        guard conflict.kind == .edits else {
            return resolvers.byPath[entity.name] == nil ? [] : [Question(path: entity.name, conflict: conflict)]
        }
        var questions: [Question] = []
        var rest: [String] = []
        for key in conflict.keys {
            let path = "\(entity.name).\(key)"
            guard resolvers.byPath[path] != nil else {
                rest.append(key)
                continue
            }
            var part = conflict
            part.keys = [key]
            questions.append(Question(path: path, conflict: part))
        }
        if !rest.isEmpty, resolvers.byPath[entity.name] != nil {
            var part = conflict
            part.keys = rest
            questions.append(Question(path: entity.name, conflict: part))
        }
        return questions
    }

    /// Returns the answer to a question; nil if there is none yet. The question is then recorded as open, unless there
    /// were enough rounds.
    private func look(_ question: Question) -> Answer? {
        state.withLock { state in
            if let answer = state.answers[question] { return answer }
            if state.rounds < Self.mostRounds { state.open.append(question) }
            return nil
        }
    }

    private func choices(
        of resolution: ConflictResolution, _ question: Question, _ entity: ResolvedEntity
    ) throws(RecordFault) -> [String: ConflictChoice] {
        if resolution == .keepBoth, question.conflict.kind == .edits {
            if let reason = entity.reasonAgainstCopies {
                throw RecordFault(
                    "the conflict resolver of \(question.path) wants to keep both sides, but \(entity.name) \(reason), so "
                        + "there cannot be two of them; give values for one")
            }
            return Dictionary(uniqueKeysWithValues: question.conflict.keys.map { ($0, .both) })
        }
        guard case .values(let values) = resolution else {
            let side = resolution.side(of: question.conflict.kind) ?? policy.side
            return Dictionary(uniqueKeysWithValues: question.conflict.keys.map { ($0, .side(side)) })
        }
        guard question.conflict.kind == .edits else {
            throw RecordFault(
                "the conflict resolver of \(question.path) gave values for an object that one side has deleted; say who wins"
            )
        }
        var choices: [String: ConflictChoice] = [:]
        for (key, value) in values {
            guard question.conflict.keys.contains(key), let property = entity.property(named: key) else {
                throw RecordFault(
                    "the conflict resolver of \(question.path) gave a value for \(key), which is not in conflict")
            }
            choices[key] = .value(try property.accept(value, from: question.path))
        }
        return choices
    }
}

extension ConflictResolution {
    fileprivate func side(of kind: SyncConflict.Kind) -> SyncConflict.Side? {
        switch (self, kind) {
        case (.serverWins, _), (.keepBoth, .deletedHereEditedThere): .server
        case (.clientWins, _), (.keepBoth, .editedHereDeletedThere): .client
        case (.keepBoth, .edits), (.values, _), (.policy, _): nil
        }
    }
}

extension ResolvedProperty {
    /// Returns the value in the property's own form.
    fileprivate func accept(_ value: Value, from resolver: String) throws(RecordFault) -> Value {
        guard let attribute else {
            if value.isNull { return value }
            if case .object(let id) = value, id.entityName == relationship?.description.destination { return value }
            throw RecordFault(
                "the conflict resolver of \(resolver) gave \(value.summary) for \(name), which is a relationship")
        }
        switch value {
        case .data where attribute.allowsExternalStorage, .file:
            throw RecordFault(
                "the conflict resolver of \(resolver) gave bytes for \(name), which is an asset; choose one of both sides'"
            )
        default: break
        }
        do { return try attribute.accept(value) } catch {
            throw RecordFault("the conflict resolver of \(resolver) gave a wrong value: \(error.message)")
        }
    }
}
