import Backstitch

extension StoreConformance {
    /// The table of ``MergePolicy`` holds in every mode: with and without automatic merging, in nested contexts, and
    /// for saves and batch requests of others at any time.
    ///
    /// A generator makes the orders from a seed, which is printed; `BACKSTITCH_SEED` repeats one.
    ///
    /// A backend must
    /// - compare the version of every row that a save changes or deletes, and both ends of its new links;
    /// - raise the version of rows changed by batch requests, and report these objects.
    ///
    /// A store fails when it confuses a later version of a row with the version that was read.
    static let policyCases = MergePolicy.allCases.map { policy in
        ConformanceCase("every order of reading, merging, changing and saving holds the policy \(policy)") { bench in
            let seed = SeededGenerator.seed()
            print("orders of a conflict, policy \(policy): BACKSTITCH_SEED=\(seed)")
            let container = try bench.container()
            try await onThread {
                var random = SeededGenerator(seed: seed), number = 0
                for _ in 0..<rounds {
                    for (depth, merges) in modes {
                        for deeds in PolicyScript.deeds {
                            number += 1
                            let script = PolicyScript(
                                policy, depth: depth, merges: merges, deeds: deeds, using: &random)
                            do { try script.run(on: container.coordinator, number: number) } catch {
                                throw ConformanceFailure(
                                    description: "BACKSTITCH_SEED=\(seed), script \(number): \(error)")
                            }
                        }
                    }
                }
            }
            try container.close()
        }
    }

    /// The number of orders for each pair of changes in each mode.
    private static let rounds = Effort.size("POLICY_ROUNDS", usual: 1, whole: 4)

    private static let modes: [(depth: Int, merges: Bool?)] = (0...2).flatMap { depth in
        [true, false, nil].map { (depth, $0) }
    }
}
