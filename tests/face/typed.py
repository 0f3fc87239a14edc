"""What does a command say that is typed? Its code, what it prints, and what it complains about."""

from typer.testing import CliRunner

from horae.cli.main import app


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin, prog_name="horae")
    return result.exit_code, result.stdout, result.stderr
