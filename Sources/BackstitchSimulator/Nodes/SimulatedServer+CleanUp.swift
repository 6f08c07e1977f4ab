// The checkers must know when a server forgets something.
extension SimulatedServer {
    /// Runs the server's clean-up, which a real server runs once a minute.
    func cleanUp() {
        administer { [self] server in
            forgetAnswers()
            try await server.cleanUp()
        }
    }

    /// Lets the server forget old deletions, and therefore all change tokens.
    func makeRoom() {
        world.trace.note("the server forgets what was deleted")
        world.situations.note("the server forgot tombstones, and tokens with them")
        world.ledger.forgotRemovals()
        administer { [self] server in
            forgetAnswers()
            try await server.makeRoom()
        }
    }

    private func forgetAnswers() { world.pushes.forgotAnswers(before: clock.milliseconds() - answersAreKept) }
}
