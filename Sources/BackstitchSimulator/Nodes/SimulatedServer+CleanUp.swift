// The things that a server forgets, of which the checkers must know.
extension SimulatedServer {
    /// The server does what it does once a minute.
    func cleanUp() {
        administer { [self] server in
            forgetAnswers()
            try await server.cleanUp()
        }
    }

    /// The server forgets what was deleted long ago, and therefore all change tokens.
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
